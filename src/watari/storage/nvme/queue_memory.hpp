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

/// Number, depth and users of the queues.
struct queue_options {
    processor users = the_cpu;
    std::uint32_t queues = 2;
    std::uint32_t depth = 256;  ///< a power of two, 2 to 16384
    std::uint32_t max_outstanding =
        0;  ///< identifiers in use at once, fewer than depth; 0: all but one
    std::uint32_t max_transfer = 1 << 17;  ///< bytes: whole pages of 4096, at most 2 MiB
    double limit = 10;                     ///< seconds that a wait may take
    /// Least bytes of a read that the controller can deliver to the memory that it names, for a GPU
    /// by the copy engine. Delivery takes one more thread. 0: never.
    std::uint32_t delivered_from = 0;
    std::uint32_t first_ticket = 0;  ///< start of the counters: tests let them wrap
};

/// Returns options for a controller of `threads` threads whose users have `under_way` requests in
/// flight, of at most `block` bytes. The queues are no deeper than that: identifiers are acquired
/// in turn, so data pass through all slots, and if these do not stay in the CPU's cache, its main
/// memory limits the rate. A GPU has two queues a thread, since its warps contend for them. A GPU
/// fetches long blocks in several commands, so that some are in flight while others are copied. If
/// copies pass kernels (controller/delivery.hpp), its copy engine delivers blocks that are a
/// multiple of `large_run`.
queue_options queues_for(processor users, std::size_t threads, std::size_t under_way,
                         std::size_t block);

/// Bytes of a copy for which a copy engine is about as fast as warps. It leaves the warps to other
/// work.
inline constexpr std::size_t large_run = std::size_t{2} << 20;

/// Bytes of a command whose data warps copy; a longer block becomes several commands.
inline constexpr std::size_t copied_by_warps = std::size_t{1} << 17;

/// Owns the memory of the queues. For users on a GPU, their state is in device memory and the rest
/// is pinned; else all is pageable.
class queue_memory {
public:
    /// Throws usage_error, unsupported, beyond_memory.
    explicit queue_memory(const queue_options& options);

    /// Frees every identifier and empties every ring. No thread may be using the queues.
    void clear();

    /// Returns the users' view; `queues`, `state` and its arrays are addresses of their processor.
    namespace_view view(std::uint64_t blocks, std::uint32_t block_bytes) const;

    /// A queue's rings and doorbells, for its controller.
    submission_entry* submissions(std::uint32_t queue) const;
    completion_entry* completions(std::uint32_t queue) const;
    std::uint32_t* doorbells(std::uint32_t queue) const;  ///< SQ tail; CQ head 32 words further
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
