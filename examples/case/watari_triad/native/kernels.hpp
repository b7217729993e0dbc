/// The kernels of case `triad`, for both processors.
///
/// triad: a[i] = b[i] + s (b[i] + s (... + s c[i])), with `work` products. Bytes of an element: 16
/// read, 8 written. Flops: 2 `work`. mismatches: 8 bytes read.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"

#include <cstddef>
#include <cstdint>

namespace triad {

struct arrays {
    double* a;
    const double* b;
    const double* c;
    std::size_t count;
};

/// Seeds of the data (measure/pattern.hpp).
inline constexpr std::uint64_t seed_b = 1, seed_c = 2;

/// The kernels of one backend. On a GPU `triad` returns before it is done.
struct kernels {
    void (*triad)(const arrays& x, double scalar, int work, watari::stream_t stream);
    /// Returns the number of elements of `a` that differ from the formula; waits.
    std::size_t (*mismatches)(const arrays& x, double scalar, int work, watari::stream_t stream);
    static const kernels cpu, gpu;
};

}  // namespace triad
