/// A list of blocks that cross the queues of a namespace, by threads of either processor.
///
/// `warps` share the list, each with `each` commands in flight. On a GPU each of these commands has
/// a thread, and all threads of the warp copy together; on a CPU a warp is one thread. Lists are in
/// CPU memory, and a GPU reads each entry once; results are in memory of the requester. Bytes:
/// count x block over the link or memory bus, into a slot and out of it. No floating-point work.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"
#include "watari/storage/nvme/namespace.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::storage {

/// A command under way, and whose it is.
struct request_in_flight {
    token command;
    std::size_t request;
};

/// How a command ended, and when by the clock of who asked, in nanoseconds: from its submission
/// until its data were at their location.
struct request_result {
    std::int64_t began, ended;
    status outcome;
};

struct request_list {
    namespace_view view;
    const std::uint64_t* offsets;  ///< bytes of the namespace, whole blocks of it
    std::size_t count;
    std::uint32_t part;     ///< bytes of a part of a block
    std::uint32_t parts;    ///< of each block
    std::size_t stride;     ///< bytes from part to part in memory
    std::uint32_t overlap;  ///< bytes that a part has in common with the next one
    bool write;
    std::byte* memory;             ///< part k of block i at memory + k x stride + i x part
    request_result* results;       ///< of each
    std::uint32_t* failed;         ///< in memory of the CPU: becomes 1 if one did not succeed
    request_in_flight* in_flight;  ///< of a CPU, warps x each: the kernel's own
    std::uint64_t* taken;     ///< of a GPU, in its memory: requests that warps took or asked for
    std::uint64_t before;     ///< of them for earlier lists
    std::size_t warps, each;  ///< on a GPU at most 32 each

    constexpr std::uint32_t block() const { return parts * (part - overlap) + overlap; }
    /// What this list adds to `taken`: all requests, and for each warp those that were not there.
    constexpr std::uint64_t takes() const { return ((count + each - 1) / each + warps) * each; }
};

/// The kernels of one backend; on a GPU they return before they are done.
struct request_kernels {
    void (*run)(const request_list& list, stream_t stream);
    /// What was written is durable; how that ended goes to results[0], whose times stay.
    void (*flush)(const request_list& list, stream_t stream);
    static const request_kernels cpu, gpu;
};

}  // namespace watari::storage
