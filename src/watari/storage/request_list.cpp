// Kernels for both backends; see core/backend.hpp.
#include "watari/storage/request_list.hpp"

#include "watari/core/atomic.hpp"
#include "watari/core/backend.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using storage::request_list;
using storage::slot_of;
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

/// Ends request i: waits for its command, no longer than `limit` nanoseconds.
WATARI_KERNEL inline void end_one(const request_list& what, std::size_t i, const token& command,
                                  std::int64_t limit) {
    const storage::status outcome = wait(what.view, command, limit);
    if (!what.write)
        copy_each(group::active(), what.memory + i * what.block, slot_of(what.view, command),
                  outcome.ok() ? command.bytes : 0);
    release_slot(what.view, command);
    what.outcomes[i] = outcome;
    what.nanoseconds[i] = nanoseconds() - what.nanoseconds[i];
}

/// The requests of a lane that has one under way: first, first + lanes, ... The threads of a warp
/// stay together, so that each block is copied by all of them.
WATARI_KERNEL inline void serve_one_by_one(const request_list& what, std::size_t lane) {
    for (std::size_t i = lane; i < what.count; i += what.lanes) {
        what.nanoseconds[i] = nanoseconds();
        end_one(what, i, begin_one(what, i, true), what.view.queues[0].limit);
    }
}

/// The same of a lane that has many under way. Each that is done makes room for the next, in any
/// order: a slow one holds up nobody.
WATARI_KERNEL inline void serve_many(const request_list& what, std::size_t lane) {
    storage::request_place* const places = what.places + lane * what.ahead;
    const std::int64_t limit = what.view.queues[0].limit;
    std::size_t next = lane, under_way = 0;
    for (unsigned attempt = 0; next < what.count || under_way > 0; ++attempt) {
        for (; next < what.count && under_way < what.ahead; next += what.lanes) {
            what.nanoseconds[next] = nanoseconds();
            const token command = begin_one(what, next, under_way == 0);
            if (!command.taken && under_way > 0) break;
            places[under_way++] = {command, next};
        }
        const bool found = poll_queue(what.view, places[0].command);
        const std::int64_t moment = nanoseconds();
        const std::size_t before = under_way;
        for (std::size_t p = under_way; p-- > 0;) {
            const auto [command, i] = places[p];
            if (!is_done(what.view, command) && moment - what.nanoseconds[i] < limit) continue;
            end_one(what, i, command, 0);
            places[p] = places[--under_way];
        }
        if (found || under_way < before)
            attempt = 0;
        else
            pause(attempt);
    }
}

WATARI_KERNEL inline void serve(const request_list& what, std::size_t lane) {
    what.ahead == 1 ? serve_one_by_one(what, lane) : serve_many(what, lane);
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
