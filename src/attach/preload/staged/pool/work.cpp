#include "work.hpp"

#include <cstring>

#include "../memory/fresh.hpp"
#include "backoff.hpp"
#include "streaming.hpp"

namespace attach::staged {
namespace {

std::uint64_t load(const std::uint64_t& from) { return __atomic_load_n(&from, __ATOMIC_ACQUIRE); }

}  // namespace

// Every ticket below `opened` is taken by now, so no thread reads `what`.
void work::begin(const sides& of) {
    what = of;
    first = load(opened);
}

std::size_t work::size(std::uint64_t piece) const {
    const std::size_t left = what.bytes - offset(piece);
    return left < what.piece ? left : what.piece;
}

bool work::open(std::uint64_t pieces) {
    const std::uint64_t ticket = first + pieces;
    if (ticket == opened) return false;
    __atomic_store_n(&opened, ticket, __ATOMIC_SEQ_CST);
    return true;
}

bool work::is_done(std::uint64_t piece) const {
    return load(done[piece % what.ring]) == first + piece + 1;
}

void work::stop() {
    std::uint64_t next = load(taken);
    while (!__atomic_compare_exchange_n(&taken, &next, opened, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
    }
    backoff waiting;
    const std::uint64_t end = next - first, begin = end > what.ring ? end - what.ring : 0;
    for (std::uint64_t piece = begin; piece < end; ++piece)
        while (load(done[piece % what.ring]) < first + piece + 1) waiting.pass();
}

void work::copy(unsigned char* host, unsigned char* slot, std::size_t bytes) const {
    unsigned char* to = what.is_to_host ? host : slot;
    const unsigned char* from = what.is_to_host ? slot : host;
    if (what.passes_caches)
        copy_past_caches(to, from, bytes);
    else
        std::memcpy(to, from, bytes);
}

// Rows lie one after the other in a slot.
void work::copy_piece(std::uint64_t piece) const {
    const std::size_t bytes = size(piece), begin = offset(piece);
    if (what.is_fresh) make_pages(what.host + begin, bytes);
    if (!what.width) return copy(what.host + begin, slot(piece), bytes);
    unsigned char* host = what.host + begin / what.width * what.pitch;
    for (std::size_t done = 0; done < bytes; done += what.width, host += what.pitch)
        copy(host, slot(piece) + done, what.width);
}

bool work::help() {
    std::uint64_t next = load(taken);
    do {
        if (next >= __atomic_load_n(&opened, __ATOMIC_SEQ_CST)) return false;
    } while (!__atomic_compare_exchange_n(&taken, &next, next + 1, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE));
    const std::uint64_t piece = next - first;
    copy_piece(piece);
    __atomic_store_n(&done[piece % what.ring], next + 1, __ATOMIC_RELEASE);
    return true;
}

bool work::has_open() const { return load(taken) < load(opened); }

}  // namespace attach::staged
