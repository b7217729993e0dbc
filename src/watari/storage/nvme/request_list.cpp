// Kernels for both backends; see core/backend.hpp.
#include "watari/storage/nvme/request_list.hpp"

#include "watari/core/atomic.hpp"
#include "watari/core/backend.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using storage::request_list;
using storage::slot_of;
using storage::token;

/// Between the slots of those threads for which it `moves`, which hold blocks whole, and memory:
/// part after part.
WATARI_KERNEL inline void copy_parts(const request_list& what, const group& all, std::size_t i,
                                     std::byte* slot, bool moves) {
    std::byte* place = what.memory + i * what.part;
    for (std::uint32_t k = 0; k < what.parts; ++k) {
        copy_each(all, what.write ? slot : place, what.write ? place : slot, moves ? what.part : 0);
        slot += what.part - what.overlap;
        place += what.stride;
    }
}

/// How request i ended, just now.
WATARI_KERNEL inline void tell(const request_list& what, std::size_t i, storage::status outcome) {
    what.results[i].ended = nanoseconds();
    what.results[i].outcome = outcome;
    if (!outcome.ok()) everywhere::store_relaxed(*what.failed, 1u);
}

/// Submits request i: its block's data are brought to their place, or come to the command's slot.
WATARI_KERNEL inline void send_request(const request_list& what, std::size_t i, token& command) {
    const storage::submission_entry asked = make_transfer(
        what.write ? storage::opcode::write : storage::opcode::read, command.cid, what.view.nsid,
        what.offsets[i] / what.view.block_bytes, what.block() / what.view.block_bytes);
    std::byte* const place = what.memory + i * what.part;
    command.delivered = !what.write && what.parts == 1 && delivers(what.view, what.block(), place);
    command.delivered ? send_delivered(what.view, command, asked, place)
                      : send(what.view, command, asked);
}

/// One request of each thread of a warp that has `left` one, request i, since `start`: the blocks
/// of all are copied by all threads. Who waits for an identifier holds none: the first waits if
/// nobody got one, and the others whose turn did not come are left for the next call.
WATARI_KERNEL inline void serve_some(const request_list& what, const group& all, std::size_t i,
                                     std::int64_t start, bool& left) {
    const std::uint32_t count = what.block() / what.view.block_bytes;
    token command;
    if (left && fits(what.view, count, command)) try_take(what.view, command);
    bool ends = command.taken;
    const unsigned first = all.leading(!left);
    if (all.all(!command.taken) && all.rank() == first) {
        if (command.bytes > 0) take(what.view, command);
        ends = true;
    }
    all.sync();
    if (what.write) copy_parts(what, all, i, slot_of(what.view, command), command.taken);
    if (command.taken) send_request(what, i, command);
    storage::status outcome = command.outcome;
    if (command.taken) outcome = wait(what.view, command);
    all.sync();
    if (!what.write)
        copy_parts(what, all, i, slot_of(what.view, command),
                   command.taken && outcome.ok() && !command.delivered);
    if (!ends) return;
    left = false;
    release_slot(what.view, command);
    what.results[i].began = start;
    tell(what, i, outcome);
}

/// The next requests that no warp has taken.
WATARI_KERNEL inline std::size_t take_next(const request_list& what, const group& all) {
    std::uint64_t first = 0;
    if (all.leads()) first = local::fetch_add(*what.taken, std::uint64_t{what.each}) - what.before;
    return all.broadcast(first);
}

/// Requests, by a warp. While it copies, others have theirs served; and none is left with many when
/// the others have ended, for a disk serves few more slowly.
WATARI_KERNEL inline void serve_together(const request_list& what) {
    const group all = group::active();
    for (std::size_t first; first = take_next(what, all), first < what.count;) {
        const std::size_t i = first + all.rank();
        bool left = all.rank() < what.each && i < what.count;
        const std::int64_t start = nanoseconds();
        while (!all.all(!left)) serve_some(what, all, i, start, left);
    }
}

/// Begins request i; who has others under way does not wait for an identifier.
WATARI_KERNEL inline token begin_one(const request_list& what, std::size_t i, bool wait) {
    const std::uint32_t count = what.block() / what.view.block_bytes;
    token command;
    if (!fits(what.view, count, command)) return command;
    if (wait ? !take(what.view, command) : !try_take(what.view, command)) return command;
    if (what.write) copy_parts(what, group::active(), i, slot_of(what.view, command), true);
    send_request(what, i, command);
    return command;
}

/// Ends request i, which is done or given up.
WATARI_KERNEL inline void end_one(const request_list& what, std::size_t i, const token& command) {
    const storage::status outcome = wait(what.view, command, 0);
    if (!what.write && outcome.ok() && !command.delivered)
        copy_parts(what, group::active(), i, slot_of(what.view, command), true);
    release_slot(what.view, command);
    tell(what, i, outcome);
}

/// The requests of a thread. Each that is done makes room for the next, in any order: a slow one
/// holds up nobody.
WATARI_KERNEL inline void serve_alone(const request_list& what, std::size_t thread) {
    storage::request_place* const places = what.places + thread * what.each;
    const std::int64_t limit = what.view.queues[0].limit;
    std::size_t next = thread, under_way = 0;
    for (unsigned attempt = 0; next < what.count || under_way > 0; ++attempt) {
        for (; next < what.count && under_way < what.each; next += what.warps) {
            what.results[next].began = nanoseconds();
            const token command = begin_one(what, next, under_way == 0);
            if (!command.taken && under_way > 0) break;
            places[under_way++] = {command, next};
        }
        const bool found = poll_queue(what.view, places[0].command);
        const std::int64_t moment = nanoseconds();
        const std::size_t before = under_way;
        for (std::size_t p = under_way; p-- > 0;) {
            const auto [command, i] = places[p];
            if (!is_done(what.view, command) && moment - what.results[i].began < limit) continue;
            end_one(what, i, command);
            places[p] = places[--under_way];
        }
        if (found || under_way < before)
            attempt = 0;
        else
            pause(attempt);
    }
}

void run(const request_list& what, stream_t stream) {
    for_each_warp(
        what.warps,
        [=] WATARI_KERNEL(std::size_t warp) {
            executes == processor::type::gpu ? serve_together(what) : serve_alone(what, warp);
        },
        stream);
}

void flush_all(const request_list& what, stream_t stream) {
    for_each(
        1, [=] WATARI_KERNEL(std::size_t) { what.results[0].outcome = flush(what.view); }, stream);
}

}  // namespace

extern const storage::request_kernels request_table{.run = run, .flush = flush_all};

}  // namespace watari::WATARI_BACKEND
