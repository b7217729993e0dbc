/// Commands to an NVMe namespace, by any thread of the CPU or of a GPU: take an identifier, send
/// the command, wait for it, release the identifier.
///
/// Data cross through slots: memory that both the controller and the users see, one slot of
/// `max_transfer` bytes for each queue and identifier. A reader pulls its data out of the slot, a
/// writer fills it before it submits. A slot belongs to its command until the identifier is given
/// back, so late data land where no thread reads.
///
/// Long reads (`delivers`) may name the destination of their data by an SGL: the controller
/// delivers the data there, for a GPU by its copy engine. A user that gives up such a command
/// recalls it first. User and controller each store their next action, and then load the other's.
/// So either the data are not delivered, or the user waits until they are. A copy takes
/// microseconds, but the driver can delay it while a call of another thread waits for the whole
/// GPU, and thus for the kernel that waits here. The wait then ends with `still_copying`, and the
/// memory must not be used again before the GPU was synchronised.
///
/// Each calling thread has its own command; threads of a warp that call together share one ticket
/// and one doorbell write. A thread that has commands in flight takes another by `try_take`, which
/// never waits: if all threads had some and waited for more, none would resume before the timeout.
///
/// Two front ends use these functions. They differ in the threads that have a command:
/// - group_commands.hpp: a group has one command for all its threads. `transfers` and the cache use
///   it, inside kernels of their own.
/// - request_list.hpp: each thread has its own command, of a list that the host made. The engines
///   over queues use it; with one command a warp they would have a 32nd of the requests in flight.
#pragma once

#include "watari/storage/nvme/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::storage {

/// The state of a slot's delivery. Each word is a command's identifier + 1, or 0.
struct delivery_state {
    std::uint32_t wanted;   ///< the command whose data its user wants delivered
    std::uint32_t copying;  ///< the command whose data the controller is copying
};

/// A namespace and the paths to it, passed to kernels by value. All queues are equally deep.
struct namespace_view {
    const queue_view* queues;
    std::byte* slots;
    const std::uint64_t* prp_lists;  ///< by slot: its pages from the second on
    std::size_t list_stride;         ///< entries from one slot's list to the next
    std::size_t slot_stride;         ///< bytes from one slot to the next
    delivery_state* deliveries;      ///< state by slot
    std::uint64_t blocks;
    std::uint32_t queue_count;
    std::uint32_t block_bytes;
    std::uint32_t max_transfer;    ///< bytes of the largest command, for which a slot has room
    std::uint32_t delivered_from;  ///< least bytes of a read that is delivered; 0: none
    std::uint32_t nsid;
    std::uint32_t depth;
    std::uint32_t max_outstanding;  ///< identifiers of a queue in use at once

    constexpr std::uint32_t max_blocks() const {
        const std::uint32_t fit = max_transfer / block_bytes;
        return fit < most_blocks ? fit : most_blocks;
    }
};

/// A command in flight. If `taken`, it has an identifier, and `release_slot` or `give_back` must
/// follow; else `outcome` says why it has none.
struct token {
    std::uint32_t queue = 0;
    std::uint32_t bytes = 0;
    std::uint16_t cid = 0;
    bool taken = false;
    bool delivered = false;  ///< the controller delivers its data to the memory that it names
    status outcome = timed_out;
};

/// The number of a command's slot.
constexpr std::size_t slot_number(const namespace_view& view, const token& command) {
    return std::size_t{command.queue} * view.depth + (command.cid & (view.depth - 1));
}

/// The slot of a command; its user may read data there between `wait` and `release_slot`.
constexpr std::byte* slot_of(const namespace_view& view, const token& command) {
    return view.slots + slot_number(view, command) * view.slot_stride;
}

}  // namespace watari::storage

namespace watari::WATARI_BACKEND {

using storage::namespace_view;
using storage::token;

/// Takes an identifier of the first queue that has a free one, beginning with the warp's own queue;
/// false if none has.
WATARI_KERNEL inline bool try_take(const namespace_view& view, token& command) {
    const std::uint32_t own = warp_number();
    for (std::uint32_t i = 0; i < view.queue_count && !command.taken; ++i) {
        command.queue = (own + i) % view.queue_count;
        const queue_view& queue = view.queues[command.queue];
        command.taken = try_acquire(group::together(queue.state), queue, command.cid);
    }
    return command.taken;
}

/// As try_take, but waits for a free identifier, at most the queues' limit.
WATARI_KERNEL inline bool take(const namespace_view& view, token& command) {
    if (try_take(view, command)) return true;
    const std::uint32_t own = warp_number();
    const std::int64_t deadline = nanoseconds() + view.queues[0].limit;
    for (unsigned attempt = 0; nanoseconds() <= deadline; ++attempt) {
        bool found = false;
        for (std::uint32_t i = 0; i < view.queue_count; ++i) {
            const queue_view& queue = view.queues[(own + i) % view.queue_count];
            found |= poll(group::together(queue.state), queue);
        }
        if (!found) pause(attempt);
        if (try_take(view, command)) return true;
    }
    return false;
}

/// Whether the controller can deliver a read of `bytes` bytes to this memory.
WATARI_KERNEL inline bool delivers(const namespace_view& view, std::size_t bytes, const void* to) {
    return view.delivered_from > 0 && bytes >= view.delivered_from && is_global(to);
}

/// Sets the PRPs of an entry to the command's slot: its first page, and its second page or its
/// list.
WATARI_KERNEL inline void name_slot(const namespace_view& view, const token& command,
                                    storage::submission_entry& entry) {
    const auto first = reinterpret_cast<std::uint64_t>(storage::slot_of(view, command));
    if (command.bytes > 0) entry.prp1 = first;
    if (command.bytes > 2 * storage::prp_page)
        entry.prp2 = reinterpret_cast<std::uint64_t>(
            view.prp_lists + storage::slot_number(view, command) * view.list_stride);
    else if (command.bytes > storage::prp_page)
        entry.prp2 = first + storage::prp_page;
}

/// Submits the command of a token. The data of a read that is `delivered` go to `to`, which no
/// thread may use until the command has ended; all other data go through the slot.
WATARI_KERNEL inline void send(const namespace_view& view, const token& command,
                               storage::submission_entry entry, void* to = nullptr) {
    if (command.delivered) {
        storage::delivery_state& own = view.deliveries[slot_number(view, command)];
        // stored before the doorbell, like the entry
        everywhere::store_relaxed(own.wanted, command.cid + 1u);
        entry = with_sgl(entry, reinterpret_cast<std::uint64_t>(to), command.bytes);
    } else {
        name_slot(view, command, entry);
    }
    const queue_view& queue = view.queues[command.queue];
    submit(group::together(queue.state), queue, entry);
}

/// Stops the delivery of a command's data, and waits for a copy that has begun, at most the queues'
/// limit. True: no more data will arrive.
WATARI_KERNEL inline bool recall(const namespace_view& view, const token& command) {
    storage::delivery_state& own = view.deliveries[slot_number(view, command)];
    everywhere::store_seq_cst(own.wanted, 0u);
    const std::int64_t deadline = nanoseconds() + view.queues[0].limit;
    for (unsigned attempt = 0; everywhere::load_seq_cst(own.copying) == command.cid + 1u;
         ++attempt) {
        if (nanoseconds() > deadline) return false;
        pause(attempt);
    }
    return true;
}

/// Whether one command may name `count` blocks. Sets command.bytes, or else command.outcome.
WATARI_KERNEL inline bool fits(const namespace_view& view, std::uint32_t count, token& command) {
    if (count > 0 && count <= view.max_blocks()) {
        command.bytes = count * view.block_bytes;
        return true;
    }
    command.outcome = storage::invalid_field;
    return false;
}

/// Waits for a command, at most `limit` nanoseconds; a recall may take the queues' limit more.
/// `release_slot` must follow; it does nothing if the command was abandoned.
WATARI_KERNEL inline storage::status wait(const namespace_view& view, const token& command,
                                          std::int64_t limit) {
    if (!command.taken) return command.outcome;
    const queue_view& queue = view.queues[command.queue];
    const bool done = look(group::together(queue.state), queue, command.cid, limit);
    const bool recalled = done || !command.delivered || recall(view, command);
    const storage::status outcome = settle(queue, command.cid);
    if (!recalled) return storage::still_copying;
    return outcome;
}

/// As above, with the queues' own limit.
WATARI_KERNEL inline storage::status wait(const namespace_view& view, const token& command) {
    return wait(view, command, view.queues[0].limit);
}

/// Takes completions off a command's queue; true if there was one.
WATARI_KERNEL inline bool poll_queue(const namespace_view& view, const token& command) {
    const queue_view& queue = view.queues[command.queue];
    return poll(group::together(queue.state), queue);
}

/// Whether the controller has completed every abandoned command, so that none of them writes any
/// more. Takes completions that have arrived.
WATARI_KERNEL inline bool settled(const namespace_view& view) {
    bool all = true;
    for (std::uint32_t i = 0; i < view.queue_count; ++i) {
        const queue_view& queue = view.queues[i];
        if (local::load_acquire(queue.state->given_up) == 0) continue;
        poll(group::together(queue.state), queue);
        all = all && local::load_acquire(queue.state->given_up) == 0;
    }
    return all;
}

/// Whether `wait` would return at once, judged by the completions already taken off the queue.
WATARI_KERNEL inline bool is_done(const namespace_view& view, const token& command) {
    return !command.taken || is_done(view.queues[command.queue], command.cid);
}

WATARI_KERNEL inline void release_slot(const namespace_view& view, const token& command) {
    if (command.taken) release(view.queues[command.queue], command.cid);
}

/// Returns the identifier of a taken token, instead of `send`.
WATARI_KERNEL inline void give_back(const namespace_view& view, const token& command) {
    give_back(view.queues[command.queue], command.cid);
}

/// Makes the data of completed writes durable; returns the status.
WATARI_KERNEL inline storage::status flush(const namespace_view& view) {
    token command;
    if (take(view, command)) send(view, command, storage::make_flush(command.cid, view.nsid));
    const storage::status outcome = wait(view, command);
    release_slot(view, command);
    return outcome;
}

}  // namespace watari::WATARI_BACKEND
