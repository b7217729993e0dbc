/// The kernels of case `latency`.
///
/// chase: p = p->next, `steps` times by one thread. Each load needs the address that the previous
/// load returned, so that loads do not overlap: time / steps is the latency of a load. Bytes: 8 per
/// step, the pointer itself, though a whole line moves. No flops.
/// install: 4 bytes read and 8 written per element. mismatches: 4 + 8 bytes read per element.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::latency {

/// An element: a pointer to the next element.
struct link {
    const link* next;
};

/// The steps of a chase are a multiple of this number.
inline constexpr std::size_t unrolled = 16;

/// Elements that lie `stride` bytes apart, and the cycle that links them.
struct chain {
    std::byte* first;
    std::size_t stride;
    const std::uint32_t* next;
    std::size_t count;
};

/// The kernels of one backend. On a GPU `install` and `chase` return before they are done.
struct kernels {
    void (*install)(const chain& elements, stream_t stream);
    /// Returns the number of elements that do not point to their successor in the cycle; waits.
    std::size_t (*mismatches)(const chain& elements, stream_t stream);
    /// Starts at *cursor, and stores the element that it reaches there.
    void (*chase)(const link** cursor, std::size_t steps, stream_t stream);
    static const kernels cpu, gpu;
};

}  // namespace watari::latency
