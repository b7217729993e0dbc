/// The memory of a namespace's queues: rings, doorbells and slots where the controller and the
/// users see them, and the users' state where the users are.
#pragma once

#include "watari/core/processor.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/nvme/namespace.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace watari::storage {

/// How many queues, how deep, and for whom.
struct queue_options {
    processor users = the_cpu;
    std::uint32_t queues = 2;
    std::uint32_t depth = 256;  ///< a power of two, 2 to 16384
    std::uint32_t max_outstanding =
        0;  ///< identifiers in use at once, fewer than depth; 0: all but one
    std::uint32_t max_transfer = 1 << 17;  ///< bytes: whole pages of 4096, at most 2 MiB
    double limit = 10;                     ///< seconds that a wait may take
    /// Bytes of a read from which on the controller can bring its data to the memory that it names,
    /// for a GPU by the copy engine, by one thread more. 0: never.
    std::uint32_t delivered_from = 0;
    std::uint32_t first_ticket = 0;  ///< where counters start: tests let them wrap
};

/// Queues for a controller of `threads` threads and users who have this many requests under way, of
/// at most `block` bytes. No deeper than that: identifiers are acquired in turn, so that data pass
/// through all slots, and where these do not stay in the CPU's cache the slowest memory of all is
/// in the way. A GPU has two queues a thread, for its warps contend for them, and fetches long
/// blocks in several commands, which come and go while others are copied; or, where they are a
/// multiple of `large_run`, by its copy engine if copies pass kernels (controller/delivery.hpp).
queue_options queues_for(processor users, std::size_t threads, std::size_t under_way,
                         std::size_t block);

/// Bytes that a copy engine takes at about the rate of warps, which it leaves to others.
inline constexpr std::size_t large_run = std::size_t{2} << 20;

/// Bytes of a command whose data warps copy: of a longer block it is one of several.
inline constexpr std::size_t copied_by_warps = std::size_t{1} << 17;

/// Owns it all. Memory is pinned where the users are on a GPU, else pageable.
class queue_memory {
public:
    /// Throws usage_error, unsupported, beyond_memory.
    explicit queue_memory(const queue_options& options);

    /// Every identifier free, every ring empty. Nobody may be using the queues.
    void clear();

    /// What users get; `queues`, `state` and its arrays are addresses of their processor.
    namespace_view view(std::uint64_t blocks, std::uint32_t block_bytes) const;

    /// A queue's rings and doorbells, for its controller.
    submission_entry* submissions(std::uint32_t queue) const;
    completion_entry* completions(std::uint32_t queue) const;
    std::uint32_t* doorbells(std::uint32_t queue) const;  ///< SQ tail, and 32 words on, CQ head
    static constexpr std::size_t doorbell_stride = 32;

    const queue_options& options() const { return options_; }
    const memory::block& slots() const { return slots_; }
    const memory::block& lists() const { return lists_; }

private:
    std::size_t slot_count() const { return std::size_t{options_.queues} * options_.depth; }
    queue_view queue(std::uint32_t number) const;
    void write_state() const;

    queue_options options_;
    std::uint16_t depth_log2_;
    memory::block rings_;
    memory::block slots_;
    memory::block lists_;
    memory::block deliveries_;
    memory::block state_;
};

}  // namespace watari::storage
