/// The kernels of case `gather`.
///
/// gather: destination[i] = source[order(i)], elements of `element` bytes that lie `stride` bytes
/// apart in the source and contiguously in the destination. Bytes: `element` read and `element`
/// written per element; the case counts the gathered bytes once, as Spatter does (Lavin et al.,
/// MEMSYS 2020). No flops. The order is computed, so no bytes of indices. mismatches: `element`
/// bytes read per element. read: 8 bytes per number, each once.
#pragma once

#include "order.hpp"
#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::gather {

/// One pass. `element` is a power of two from 4 on, `stride` a multiple of 4.
struct gathering {
    const std::byte* source;
    std::byte* destination;
    std::size_t element;
    std::size_t stride;
    order visited;
};

/// The kernels of one backend. On a GPU `gather` and `read` return before they are done.
struct kernels {
    void (*gather)(const gathering& pass, stream_t stream);
    /// Reads numbers of measure::pattern in ascending order, and writes none.
    void (*read)(double* data, std::size_t count, stream_t stream);
    /// Returns the number of 4-byte words in the destination that differ from the source, whose
    /// doubles are measure::pattern of a seed; waits.
    std::size_t (*mismatches)(const gathering& pass, std::uint64_t seed, stream_t stream);
    static const kernels cpu, gpu;
};

}  // namespace watari::gather
