/// A list of blocks that threads of either processor move through the queues of a namespace.
///
/// `warps` warps share the list, each with `each` commands in flight. On a GPU each of these
/// commands has a thread, and all threads of the warp copy together; on a CPU a warp is one thread.
/// Lists are in CPU memory, and a GPU reads each entry once; results are in memory of the
/// requester. Bytes: count x block over the link or memory bus, into a slot and out of it. No
/// floating-point work.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"
#include "watari/storage/nvme/namespace.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::storage {

/// A command in flight and the request that it serves.
struct request_in_flight {
    token command;
    std::size_t request;
};

/// The outcome of a request and its times by the requester's clock, in nanoseconds: `began` before
/// it takes an identifier, `ended` when its data are at their location.
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
    std::uint32_t overlap;  ///< bytes that a part shares with the next one
    bool write;
    std::byte* memory;             ///< part k of block i at memory + k x stride + i x part
    request_result* results;       ///< by request
    std::uint32_t* failed;         ///< in memory of the CPU: becomes 1 if a request fails
    request_in_flight* in_flight;  ///< for a CPU, warps x each: working memory of the kernel
    std::uint64_t* taken;  ///< for a GPU, in its memory: requests that warps took or tried to take
    std::uint64_t before;  ///< value of `taken` at the start of this list
    std::size_t warps, each;  ///< on a GPU `each` is at most 32

    constexpr std::uint32_t block() const { return parts * (part - overlap) + overlap; }
    /// The number that this list adds to `taken`: its requests in groups of `each`, and for each
    /// warp one more group, which finds no request.
    constexpr std::uint64_t takes() const { return ((count + each - 1) / each + warps) * each; }
};

/// The kernels of one backend; on a GPU they return before they are done.
struct request_kernels {
    void (*run)(const request_list& list, stream_t stream);
    /// Makes earlier writes durable; the status goes to results[0], whose times stay unchanged.
    void (*flush)(const request_list& list, stream_t stream);
    static const request_kernels cpu, gpu;
};

}  // namespace watari::storage
