// Kernels for both backends; see core/backend.hpp.
#include "watari/storage/request_list.hpp"

#include "watari/core/atomic.hpp"
#include "watari/core/backend.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using storage::request_list;
using storage::token;

/// Begins request i; a lane that has others under way does not wait for an identifier.
WATARI_KERNEL inline token begin_one(const request_list& what, std::size_t i, bool wait) {
    const std::uint64_t block = what.offsets[i] / what.view.block_bytes;
    const std::uint32_t count = what.block / what.view.block_bytes;
    if (!what.write)
        return wait ? begin_read(what.view, block, count) : try_begin_read(what.view, block, count);
    const std::byte* const source = what.memory + i * what.block;
    return wait ? begin_write(what.view, block, count, source, false)
                : try_begin_write(what.view, block, count, source, false);
}

WATARI_KERNEL inline storage::status end_one(const request_list& what, std::size_t i,
                                             const token& command) {
    return what.write ? end(what.view, command)
                      : end_read(what.view, command, what.memory + i * what.block);
}

/// The requests of one lane: first, first + lanes, ...; the oldest under way is waited for.
WATARI_KERNEL inline void serve(const request_list& what, std::size_t lane) {
    token* const tokens = what.tokens + lane * what.ahead;
    const std::size_t mine =
        lane < what.count ? (what.count - lane + what.lanes - 1) / what.lanes : 0;
    for (std::size_t begun = 0, ended = 0; ended < mine; ++ended) {
        while (begun < mine && begun - ended < what.ahead) {
            const std::size_t i = lane + begun * what.lanes;
            what.nanoseconds[i] = nanoseconds();
            const token command = begin_one(what, i, begun == ended);
            if (!command.taken && begun > ended) break;
            tokens[begun++ % what.ahead] = command;
        }
        const std::size_t i = lane + ended * what.lanes;
        what.outcomes[i] = end_one(what, i, tokens[ended % what.ahead]);
        what.nanoseconds[i] = nanoseconds() - what.nanoseconds[i];
    }
}

void run(const request_list& what, stream_t stream) {
    for_each(
        what.lanes, [=] WATARI_KERNEL(std::size_t lane) { serve(what, lane); }, stream);
}

void flush_all(const request_list& what, stream_t stream) {
    for_each(
        1, [=] WATARI_KERNEL(std::size_t) { what.outcomes[0] = flush(what.view); }, stream);
}

}  // namespace

extern const storage::request_kernels request_table{.run = run, .flush = flush_all};

}  // namespace watari::WATARI_BACKEND
