/// Index-dependent data: written before a series, checked element by element after it.
///
/// Element i holds a mix of i and a seed, so that a shifted, short or stale copy is detected. fill:
/// 8 bytes written an element. mismatches: 8 bytes read an element. No floating-point work.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::measure {

/// The kernels of one backend.
struct pattern_kernels {
    /// data[i] = pattern(i, seed); on a GPU returns before it is done.
    void (*fill)(double* data, std::size_t count, std::uint64_t seed, stream_t stream);
    /// The number of data[i] that are not pattern(i, seed); waits.
    std::size_t (*mismatches)(const double* data, std::size_t count, std::uint64_t seed,
                              stream_t stream);
    static const pattern_kernels cpu, gpu;
};

/// pattern(i, seed): a whole number below 2^53, so exact in a double.
[[gnu::always_inline]] constexpr double pattern(std::uint64_t i, std::uint64_t seed) {
    std::uint64_t x = i + seed * 0x9e3779b97f4a7c15u;  // splitmix64's increment and first mix
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    return static_cast<double>((x ^ (x >> 27)) >> 11);
}

/// A value that pattern() never gives.
inline constexpr double never = -1;

}  // namespace watari::measure
