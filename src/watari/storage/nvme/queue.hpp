/// An NVMe queue pair as its users see it: any thread, of the CPU or of a GPU, acquires a command
/// identifier, submits a command, waits for its status and gives the identifier back.
///
/// The rings and doorbells lie where the controller sees them. Everything that the users share
/// among themselves (`queue_state` and three arrays of `depth` words) lies in their own memory, and
/// is ordered among them alone. One user's writes into the rings come before another user's
/// doorbell write, which releases them to the controller. The threads of a warp that call together
/// use one ticket counter access and one doorbell write.
///
/// Identifiers. At most depth - 1 are in use at a time (`credits`), so that neither ring can be
/// full. If fewer are wanted, so that data pass through fewer slots, no others exist. Free
/// identifiers queue in a ring of `depth` words, each with a turn number. The upper bits of an
/// identifier count how often it was acquired: a duplicate or late completion does not match the
/// present user.
///
/// Slots of the submission queue. When ticket t is drawn, t + 1 identifiers have been acquired, so
/// at least t + 2 - depth commands were completed, and the controller, which fetches in order, has
/// fetched ticket t - depth, whose slot this is. The users therefore never wait for the SQ head.
/// Entries become ready in any order; one thread at a time moves the doorbell over those that are
/// ready in a row.
///
/// Completions. A thread that waits becomes the poller, if no other thread is. The poller publishes
/// each status in the word of its identifier, whichever thread waits for it.
///
/// Time. No wait is longer than `limit`. A command that exceeds it is abandoned: its user gets
/// `timed_out`, and its identifier (with its data slot) is free again only after the completion has
/// arrived. Until then the command may still take effect.
#pragma once

#include "watari/core/parallel/atomic.hpp"
#include "watari/core/parallel/warp.hpp"
#include "watari/storage/nvme/queue_view.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

using storage::queue_view;

/// Takes free identifiers, at most one for each thread of the group; true in threads that got one.
/// Never waits for a command.
WATARI_KERNEL inline bool try_acquire(const group& lanes, const queue_view& queue,
                                      std::uint16_t& cid) {
    storage::queue_state& state = *queue.state;
    std::int32_t granted = 0;
    std::uint32_t first = 0;
    if (lanes.leads()) {
        const auto wanted = static_cast<std::int32_t>(lanes.size());
        const std::int32_t seen = local::load_relaxed(state.credits);
        const std::int32_t asked = seen < wanted ? seen : wanted;
        if (asked > 0) {
            const std::int32_t there = local::fetch_add(state.credits, -asked);
            granted = there < 0 ? 0 : there < asked ? there : asked;
            if (granted < asked) local::fetch_add(state.credits, asked - granted);
            if (granted > 0)
                first = local::fetch_add(state.acquired, static_cast<std::uint32_t>(granted));
        }
    }
    granted = lanes.broadcast(granted);
    first = lanes.broadcast(first);
    if (lanes.rank() >= static_cast<std::uint32_t>(granted)) return false;

    // a thread returns a credit after its identifier: if none is here yet, the thread that puts it
    // here is between two instructions
    const std::uint32_t position = first + lanes.rank();
    std::uint32_t& free_id = queue.free_ids[position & queue.mask()];
    std::uint32_t word = local::load_acquire(free_id);
    for (unsigned attempt = 0; word >> 16 != queue.free_turn(position); ++attempt) {
        pause(attempt);
        word = local::load_acquire(free_id);
    }
    local::store_release(free_id, (word & 0xffff) | (queue.free_turn(position) + 1) << 16);
    cid = static_cast<std::uint16_t>(word);
    local::store_relaxed(queue.results[queue.index(cid)],
                         (word & 0xffff) << 16 | storage::under_way);
    return true;
}

/// Puts an identifier, each thread its own, back among the free ones.
WATARI_KERNEL inline void put_back(const group& lanes, const queue_view& queue, std::uint16_t cid) {
    storage::queue_state& state = *queue.state;
    std::uint32_t first = 0;
    if (lanes.leads()) first = local::fetch_add(state.returned, lanes.size());
    const std::uint32_t position = lanes.broadcast(first) + lanes.rank();
    std::uint32_t& free_id = queue.free_ids[position & queue.mask()];
    const std::uint32_t acquired_before = (queue.free_turn(position - queue.depth()) + 1) & 0xffff;
    for (unsigned attempt = 0; local::load_acquire(free_id) >> 16 != acquired_before; ++attempt)
        pause(attempt);
    local::store_release(free_id, queue.again(cid) | queue.free_turn(position) << 16);
    lanes.sync();
    if (lanes.leads()) local::fetch_add(state.credits, static_cast<std::int32_t>(lanes.size()));
}

/// Gives back an identifier with which nothing was submitted.
WATARI_KERNEL inline void give_back(const queue_view& queue, std::uint16_t cid) {
    local::store_relaxed(queue.results[queue.index(cid)], std::uint32_t{cid} << 16 | storage::idle);
    put_back(group::together(queue.state), queue, cid);
}

/// Gives back the identifier of a command that is done. Does nothing for an abandoned command,
/// whose identifier the caller no longer owns.
WATARI_KERNEL inline void release(const queue_view& queue, std::uint16_t cid) {
    std::uint32_t& result = queue.results[queue.index(cid)];
    const std::uint32_t word = local::load_relaxed(result);
    if (word >> 16 != cid || (word & storage::done) == 0) return;
    give_back(queue, cid);
}

/// Moves the submission doorbell over all entries that are ready in a row. A thread that finds the
/// lock taken returns: its holder looks again after it has released the lock.
WATARI_KERNEL inline void ring_doorbell(const group& lanes, const queue_view& queue) {
    storage::queue_state& state = *queue.state;
    const auto is_ready = [&](std::uint32_t ticket) {
        return local::load_acquire(queue.ready[ticket & queue.mask()]) == queue.ready_turn(ticket);
    };
    for (bool more = true; more;) {
        const bool locked = lanes.leads() && local::exchange(state.tail_lock, 1u) != 0;
        if (lanes.broadcast(locked)) return;
        const std::uint32_t start = local::load_relaxed(state.tail);
        std::uint32_t tail = start;
        for (unsigned run = lanes.size(); run == lanes.size(); tail += run)
            run = lanes.leading(lanes.rank() < queue.depth() && is_ready(tail + lanes.rank()));
        lanes.sync();
        if (lanes.leads()) {
            if (tail != start) {
                local::store_relaxed(state.tail, tail);
                everywhere::store_release(*queue.submission_doorbell, tail & queue.mask());
            }
            local::exchange(state.tail_lock, 0u);
            more = is_ready(tail);
        }
        more = lanes.broadcast(more);
    }
}

/// Submits a command with an acquired identifier in it, each thread its own. The group's threads
/// use the same queue.
WATARI_KERNEL inline void submit(const group& lanes, const queue_view& queue,
                                 const storage::submission_entry& command) {
    std::uint32_t first = 0;
    if (lanes.leads()) first = local::fetch_add(queue.state->tickets, lanes.size());
    const std::uint32_t ticket = lanes.broadcast(first) + lanes.rank();
    queue.submissions[ticket & queue.mask()] = command;
    local::store_release(queue.ready[ticket & queue.mask()], queue.ready_turn(ticket));
    lanes.sync();
    ring_doorbell(lanes, queue);
}

/// Passes the outcome of one completion to the thread that waits for it.
WATARI_KERNEL inline void publish(const queue_view& queue, std::uint64_t outcome) {
    const std::uint16_t cid = storage::cid_of(outcome);
    const std::uint32_t own = std::uint32_t{cid} << 16;
    std::uint32_t& result = queue.results[queue.index(cid)];
    std::uint32_t word = local::load_relaxed(result);
    while (storage::sq_id_of(outcome) == queue.id) {
        if (word == (own | storage::under_way)) {
            const std::uint32_t field = storage::status_field_of(outcome);
            if (local::replace(result, word, own | storage::done | field)) return;
            word = local::load_relaxed(result);
        } else if (word == (own | storage::abandoned)) {
            local::store_relaxed(result, own | storage::idle);
            local::fetch_add(queue.state->given_up, ~0u);
            put_back(group::together(queue.state), queue, cid);
            return;
        } else {
            break;
        }
    }
    local::fetch_add(queue.state->spurious, 1u);
}

/// Takes completions off the queue and publishes them, unless another thread is doing so; at most
/// `depth` of them. True if there was one.
WATARI_KERNEL inline bool poll(const group& lanes, const queue_view& queue) {
    storage::queue_state& state = *queue.state;
    const bool locked = lanes.leads() && (local::load_relaxed(state.poll_lock) != 0 ||
                                          local::exchange(state.poll_lock, 1u) != 0);
    if (lanes.broadcast(locked)) return false;
    const std::uint32_t start = local::load_relaxed(state.head);
    std::uint32_t head = start;
    for (unsigned run = lanes.size(); run == lanes.size() && head - start < queue.depth();) {
        const std::uint32_t position = head + lanes.rank();
        const std::uint64_t outcome =
            everywhere::load_acquire(queue.completions[position & queue.mask()].outcome);
        run = lanes.leading(lanes.rank() < queue.depth() &&
                            storage::phase_of(outcome) ==
                                storage::expected_phase(position, queue.depth_log2));
        if (lanes.rank() < run) publish(queue, outcome);
        head += run;
    }
    lanes.sync();
    if (lanes.leads()) {
        if (head != start) {
            local::store_relaxed(state.head, head);
            everywhere::store_release(*queue.completion_doorbell, head & queue.mask());
        }
        local::store_release(state.poll_lock, 0u);
    }
    return head != start;
}

/// Whether a command is done, judged by the completions already taken off the queue.
WATARI_KERNEL inline bool is_done(const queue_view& queue, std::uint16_t cid) {
    return (local::load_acquire(queue.results[queue.index(cid)]) & storage::done) != 0;
}

/// Waits until the commands of all threads of the group are done, at most `limit` nanoseconds;
/// returns whether the thread's own command is done.
WATARI_KERNEL inline bool look(const group& lanes, const queue_view& queue, std::uint16_t cid,
                               std::int64_t limit) {
    const std::uint32_t& result = queue.results[queue.index(cid)];
    std::uint32_t word = local::load_acquire(result);
    const std::int64_t deadline =
        lanes.all((word & storage::done) != 0) ? 0 : nanoseconds() + limit;
    for (unsigned attempt = 0; !lanes.all((word & storage::done) != 0); ++attempt) {
        // the clock first: a thread that was descheduled for long looks once more before it gives
        // up
        const bool late = nanoseconds() > deadline;
        if (poll(lanes, queue))
            attempt = 0;
        else
            pause(attempt);
        word = local::load_acquire(result);
        if (lanes.all(late || (word & storage::done) != 0)) break;
    }
    return (word & storage::done) != 0;
}

/// Returns the status of a command whose identifier the caller still owns. Abandons the command if
/// it is not done.
WATARI_KERNEL inline storage::status settle(const queue_view& queue, std::uint16_t cid) {
    const std::uint32_t own = std::uint32_t{cid} << 16;
    std::uint32_t& result = queue.results[queue.index(cid)];
    std::uint32_t word = local::load_acquire(result);
    for (; (word & storage::done) == 0; word = local::load_acquire(result)) {
        local::fetch_add(queue.state->given_up, 1u);  // first: publish() subtracts it again
        if (local::replace(result, word, own | storage::abandoned)) return storage::timed_out;
        local::fetch_add(queue.state->given_up, ~0u);
    }
    return storage::status_of(word & 0x7fff);
}

/// Waits until the commands of all threads of the group are done, or abandoned after the queue's
/// limit; returns the status of the thread's own command.
WATARI_KERNEL inline storage::status wait(const group& lanes, const queue_view& queue,
                                          std::uint16_t cid) {
    look(lanes, queue, cid, queue.limit);
    return settle(queue, cid);
}

/// Waits for a free identifier, one for each calling thread. False: none within the limit.
WATARI_KERNEL inline bool acquire(const queue_view& queue, std::uint16_t& cid) {
    if (try_acquire(group::together(queue.state), queue, cid)) return true;
    const std::int64_t deadline = nanoseconds() + queue.limit;
    for (unsigned attempt = 0; nanoseconds() <= deadline; ++attempt) {
        const group lanes = group::together(queue.state);
        if (!poll(lanes, queue)) pause(attempt);
        if (try_acquire(lanes, queue, cid)) return true;
    }
    return false;
}

}  // namespace watari::WATARI_BACKEND
