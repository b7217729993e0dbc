/// The kernels of case `latency`.
///
/// chase: p = p->next, `steps` times by one thread. Each load needs the address that the one before
/// it brought, so that none overlaps another: time / steps is the latency of a load. Bytes: 8 a
/// step, the pointer itself, though a whole line moves. No flops.
/// install: 4 bytes read and 8 written an element. mismatches: 4 + 8 bytes read an element.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::latency {

/// An element: where the next one is.
struct link {
    const link* next;
};

/// A chase takes a multiple of so many steps.
inline constexpr std::size_t unrolled = 16;

/// Elements that lie `stride` bytes apart, and the cycle that they are linked in.
struct chain {
    std::byte* first;
    std::size_t stride;
    const std::uint32_t* next;
    std::size_t count;
};

/// The kernels of one backend. On a GPU `install` and `chase` return before they are done.
struct kernels {
    void (*install)(const chain& elements, stream_t stream);
    /// How many elements do not lead where the cycle says; waits.
    std::size_t (*mismatches)(const chain& elements, stream_t stream);
    /// Goes on from *cursor, and leaves there where it ends.
    void (*chase)(const link** cursor, std::size_t steps, stream_t stream);
    static const kernels cpu, gpu;
};

}  // namespace watari::latency
