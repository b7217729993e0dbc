/// Copies and reads of plain arrays, which cases time.
///
/// copy: destination[i] = source[i], 8 bytes read and 8 written per element, no flops; 16 bytes per
/// thread if both arrays are aligned to 16. A CPU's stores bypass its caches if the arrays exceed
/// them (copy_cpu.hpp). copy_ordinary: stores through the caches, so that memory moves 24 bytes an
/// element. copy_both: twice as much as copy. read: 8 bytes read per element.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>

namespace watari::measure {

/// The kernels of one backend. On a GPU they return before they are done.
struct copy_kernels {
    void (*copy)(double* destination, const double* source, std::size_t count, stream_t stream);
    /// The same, an element at a time, through the caches of a CPU whatever the size.
    void (*copy_ordinary)(double* destination, const double* source, std::size_t count,
                          stream_t stream);
    /// Two copies of `count` elements each, side by side.
    void (*copy_both)(double* destination, const double* source, double* other_destination,
                      const double* other_source, std::size_t count, stream_t stream);
    /// Reads every element; writes none if the data are of measure::pattern.
    void (*read)(double* data, std::size_t count, stream_t stream);
    static const copy_kernels cpu, gpu;
};

}  // namespace watari::measure
