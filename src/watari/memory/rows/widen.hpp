/// Rows of elements of 2 bytes (float16, bfloat16), written as floats elsewhere: what a product of
/// such matrices multiplies. Each value is exact.
///
/// Row i begins skip(i) = (skip + i x skip_step) mod unit bytes behind from + i x from_stride,
/// since direct I/O reads whole sectors. Bytes: 2 read and 4 written for each element.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/precision.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>

namespace watari::memory {

struct half_rows {
    const void* from = nullptr;
    void* to = nullptr;        ///< rows of floats, `to_stride` bytes apart
    std::size_t count = 0;     ///< rows
    std::size_t elements = 0;  ///< of a row
    std::size_t from_stride = 0, to_stride = 0;
    std::size_t skip = 0, skip_step = 0, unit = 1;
    half_type type = half_type::float16;

    constexpr std::size_t skip_of(std::size_t i) const { return (skip + i * skip_step) % unit; }
};

/// The kernels of one backend.
struct widen_kernels {
    /// On a GPU it returns before it is done.
    void (*widen)(const half_rows& rows, stream_t stream);
    static const widen_kernels cpu, gpu;
};

}  // namespace watari::memory
