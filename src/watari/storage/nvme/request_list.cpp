// Kernels for both backends; see core/backend.hpp.
#include "watari/storage/nvme/request_list.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/atomic.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using storage::request_list;
using storage::slot_of;
using storage::token;

/// Copies between memory and the slots of the threads for which `moves` is true, part after part. A
/// slot holds a whole block.
WATARI_KERNEL inline void copy_parts(const request_list& list, const group& all, std::size_t i,
                                     std::byte* slot, bool moves) {
    std::byte* location = list.memory + i * list.part;
    for (std::uint32_t k = 0; k < list.parts; ++k) {
        copy_each(all, list.write ? slot : location, list.write ? location : slot,
                  moves ? list.part : 0);
        slot += list.part - list.overlap;
        location += list.stride;
    }
}

/// Records the outcome of request i, which has just ended.
WATARI_KERNEL inline void record(const request_list& list, std::size_t i, storage::status outcome) {
    list.results[i].ended = nanoseconds();
    list.results[i].outcome = outcome;
    if (!outcome.ok()) everywhere::store_relaxed(*list.failed, 1u);
}

/// Submits request i. The controller delivers the data of a read to their location, or puts them
/// into the command's slot.
WATARI_KERNEL inline void send_request(const request_list& list, std::size_t i, token& command) {
    const storage::submission_entry asked = make_transfer(
        list.write ? storage::opcode::write : storage::opcode::read, command.cid, list.view.nsid,
        list.offsets[i] / list.view.block_bytes, list.block() / list.view.block_bytes);
    std::byte* const location = list.memory + i * list.part;
    command.delivered =
        !list.write && list.parts == 1 && delivers(list.view, list.block(), location);
    send(list.view, command, asked, location);
}

/// Serves request i of each thread of a warp for which `left` is true; the warp took the requests
/// at `start`. All threads copy all blocks. A thread waits for an identifier only if no thread of
/// the warp got one: the first thread with a request then waits. Threads without an identifier stay
/// `left` for the next call.
WATARI_KERNEL inline void serve_some(const request_list& list, const group& all, std::size_t i,
                                     std::int64_t start, bool& left) {
    const std::uint32_t count = list.block() / list.view.block_bytes;
    token command;
    if (left && fits(list.view, count, command)) try_take(list.view, command);
    bool ends = command.taken;
    const unsigned first = all.leading(!left);
    if (all.all(!command.taken) && all.rank() == first) {
        if (command.bytes > 0) take(list.view, command);
        ends = true;
    }
    all.sync();
    if (list.write) copy_parts(list, all, i, slot_of(list.view, command), command.taken);
    if (command.taken) send_request(list, i, command);
    storage::status outcome = command.outcome;
    if (command.taken) outcome = wait(list.view, command);
    all.sync();
    if (!list.write)
        copy_parts(list, all, i, slot_of(list.view, command),
                   command.taken && outcome.ok() && !command.delivered);
    if (!ends) return;
    left = false;
    release_slot(list.view, command);
    list.results[i].began = start;
    record(list, i, outcome);
}

/// Takes the next `each` requests that no warp has taken; returns the first of them.
WATARI_KERNEL inline std::size_t take_next(const request_list& list, const group& all) {
    std::uint64_t first = 0;
    if (all.leads()) first = local::fetch_add(*list.taken, std::uint64_t{list.each}) - list.before;
    return all.broadcast(first);
}

/// Serves requests by a warp, `each` at a time. While it copies, the requests of other warps are
/// served. No warp has many left when the others have ended: a disk is slower with few requests in
/// flight.
WATARI_KERNEL inline void serve_together(const request_list& list) {
    const group all = group::active();
    for (std::size_t first; first = take_next(list, all), first < list.count;) {
        const std::size_t i = first + all.rank();
        bool left = all.rank() < list.each && i < list.count;
        const std::int64_t start = nanoseconds();
        while (!all.all(!left)) serve_some(list, all, i, start, left);
    }
}

/// Begins request i; waits for an identifier only if `wait`, when no other request is in flight.
WATARI_KERNEL inline token begin_one(const request_list& list, std::size_t i, bool wait) {
    const std::uint32_t count = list.block() / list.view.block_bytes;
    token command;
    if (!fits(list.view, count, command)) return command;
    if (wait ? !take(list.view, command) : !try_take(list.view, command)) return command;
    if (list.write) copy_parts(list, group::active(), i, slot_of(list.view, command), true);
    send_request(list, i, command);
    return command;
}

/// Ends request i; abandons its command if it is not done.
WATARI_KERNEL inline void end_one(const request_list& list, std::size_t i, const token& command) {
    const storage::status outcome = wait(list.view, command, 0);
    if (!list.write && outcome.ok() && !command.delivered)
        copy_parts(list, group::active(), i, slot_of(list.view, command), true);
    release_slot(list.view, command);
    record(list, i, outcome);
}

/// Serves requests by a thread of a CPU. Each request that is done, in any order, makes room for
/// the next: a slow one delays no other.
WATARI_KERNEL inline void serve_alone(const request_list& list, std::size_t thread) {
    storage::request_in_flight* const in_flight = list.in_flight + thread * list.each;
    const std::int64_t limit = list.view.queues[0].limit;
    std::size_t next = thread, under_way = 0;
    for (unsigned attempt = 0; next < list.count || under_way > 0; ++attempt) {
        for (; next < list.count && under_way < list.each; next += list.warps) {
            list.results[next].began = nanoseconds();
            const token command = begin_one(list, next, under_way == 0);
            if (!command.taken && under_way > 0) break;
            in_flight[under_way++] = {command, next};
        }
        const bool found = poll_queue(list.view, in_flight[0].command);
        const std::int64_t moment = nanoseconds();
        const std::size_t before = under_way;
        for (std::size_t p = under_way; p-- > 0;) {
            const auto [command, i] = in_flight[p];
            if (!is_done(list.view, command) && moment - list.results[i].began < limit) continue;
            end_one(list, i, command);
            in_flight[p] = in_flight[--under_way];
        }
        if (found || under_way < before)
            attempt = 0;
        else
            pause(attempt);
    }
}

void run(const request_list& list, stream_t stream) {
    for_each_warp(
        list.warps,
        [=] WATARI_KERNEL(std::size_t warp) {
            executes == processor::type::gpu ? serve_together(list) : serve_alone(list, warp);
        },
        stream);
}

void flush_all(const request_list& list, stream_t stream) {
    for_each(
        1, [=] WATARI_KERNEL(std::size_t) { list.results[0].outcome = flush(list.view); }, stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::storage {

const request_kernels request_kernels::WATARI_BACKEND{.run = WATARI_BACKEND::run,
                                                      .flush = WATARI_BACKEND::flush_all};

}  // namespace watari::storage
