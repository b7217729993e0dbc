/// The memory of an NVMe queue pair: its rings and doorbells, and the state that its users share.
/// queue.hpp describes its use.
#pragma once

#include "watari/storage/nvme/nvme.hpp"

#include <cstdint>

namespace watari::storage {

/// The state that the users of one queue share. Each counter of identifiers and tickets has its own
/// cache line, and so has each lock with the words after it.
struct queue_state {
    alignas(128) std::int32_t credits;  ///< identifiers that may be acquired
    alignas(128)
        std::uint32_t acquired;  ///< position in the ring of free identifiers: the next one taken
    alignas(128) std::uint32_t returned;
    alignas(128) std::uint32_t tickets;
    alignas(128) std::uint32_t tail_lock;
    std::uint32_t tail;  ///< unwrapped value of the submission doorbell
    alignas(128) std::uint32_t poll_lock;
    std::uint32_t head;      ///< unwrapped position in the completion queue
    std::uint32_t spurious;  ///< completions that matched no command in flight
    std::uint32_t given_up;  ///< abandoned commands that have not completed
};

/// One queue pair, passed to kernels by value.
struct queue_view {
    submission_entry* submissions;
    const completion_entry* completions;
    std::uint32_t* submission_doorbell;
    std::uint32_t* completion_doorbell;
    queue_state* state;
    std::uint32_t* free_ids;  ///< identifier 15:0, turn 31:16
    std::uint32_t* ready;     ///< by SQ slot: the turn that may be fetched
    std::uint32_t* results;   ///< by index: the identifier 31:16, state of its command 15:0
    std::int64_t limit;       ///< nanoseconds that a wait may take
    std::uint16_t id;
    std::uint16_t depth_log2;

    constexpr std::uint32_t depth() const { return 1u << depth_log2; }
    constexpr std::uint32_t mask() const { return depth() - 1; }
    /// Index of an identifier, 0 to depth - 1, without the count of its uses.
    constexpr std::uint32_t index(std::uint16_t cid) const { return cid & mask(); }
    /// The identifier of the same index for its next use. 0xffff is no identifier.
    constexpr std::uint16_t again(std::uint16_t cid) const {
        const std::uint32_t uses = (1u << (16 - depth_log2)) - 1;
        return static_cast<std::uint16_t>(((cid >> depth_log2) + 1) % uses << depth_log2 |
                                          index(cid));
    }
    /// Value of `ready` for a slot once the entry of this ticket may be fetched.
    constexpr std::uint32_t ready_turn(std::uint32_t ticket) const {
        return (ticket >> depth_log2) + 1;
    }
    /// The turn stored with a free identifier at this position; 1 more once it was taken.
    constexpr std::uint32_t free_turn(std::uint32_t position) const {
        return (position >> depth_log2) << 1 & 0xffff;
    }
};

/// Depths whose identifiers leave room for at least three uses.
inline constexpr std::uint32_t least_depth = 2, most_depth = 1u << 14;

/// States in the low half of a word of `results`: command in flight, abandoned by its user,
/// identifier not in use; or done, together with the status field.
inline constexpr std::uint32_t under_way = 0, abandoned = 1, idle = 2, done = 0x8000;

}  // namespace watari::storage
