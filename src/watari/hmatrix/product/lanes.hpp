/// Sums of a leaf's rows, as the threads of a GPU make them: a part of a sum each.
///
/// Sums along a row of V have 8 lanes, one a thread. Sums down columns have 4, two a thread: its
/// half of (lane 0 + lane 2) + (lane 1 + lane 3). Loads come before what needs them, some at once,
/// since memory is far; the order of additions is that of the lanes. Compiled for the CPU too, by
/// the tests.
#pragma once

#include "watari/core/backend.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::WATARI_BACKEND::hmatrix_parts {

constexpr unsigned row_sum = 8, column_sum = 4;  ///< lanes of a sum along a row, and down a column

/// Elements of a thread that are on their way at once.
template <unsigned Systems>
constexpr unsigned loads = Systems > 1 ? 4 : 8;

/// The last index stands for those behind it, and an element there is zero, which changes no sum:
/// without branches the loads are under way together.
WATARI_INLINE std::uint32_t within(std::uint32_t i, std::uint32_t count) {
    return i < count ? i : count - 1;
}

/// sum[s] += a[j] x_s[j] for j = lane, lane + 8, ...
template <unsigned Systems, class Element>
WATARI_INLINE void add_lane(const Element* a, const double* x, std::size_t stride,
                            std::uint32_t count, unsigned lane, double (&sum)[Systems]) {
    constexpr unsigned at_once = loads<Systems>;
    for (std::uint32_t j = lane; j < count; j += row_sum * at_once) {
        Element own[at_once];
        for (unsigned u = 0; u < at_once; ++u) {
            const Element there = a[within(j + row_sum * u, count)];
            own[u] = j + row_sum * u < count ? there : Element{0};
        }
        for (unsigned s = 0; s < Systems; ++s)
            for (unsigned u = 0; u < at_once; ++u)
                sum[s] +=
                    static_cast<double>(own[u]) * x[s * stride + within(j + row_sum * u, count)];
    }
}

/// sum[s] = lane `half` + lane `half + 2` of the sum of a[r * rows] by_s[r] over r.
template <unsigned Systems, class Element>
WATARI_INLINE void add_half(const Element* a, std::uint32_t rows, const double* by,
                            std::size_t stride, std::uint32_t width, unsigned half,
                            double (&sum)[Systems]) {
    constexpr unsigned at_once = loads<Systems>;
    static_assert(at_once % 2 == 0);
    double lanes[2][Systems]{};
    for (std::uint32_t r = half; r < width; r += 2 * at_once) {
        Element own[at_once];
        for (unsigned u = 0; u < at_once; ++u) {
            const Element there = a[std::size_t{within(r + 2 * u, width)} * rows];
            own[u] = r + 2 * u < width ? there : Element{0};
        }
        for (unsigned s = 0; s < Systems; ++s)
            for (unsigned u = 0; u < at_once; ++u)
                lanes[u % 2][s] +=
                    static_cast<double>(own[u]) * by[s * stride + within(r + 2 * u, width)];
    }
    for (unsigned s = 0; s < Systems; ++s) sum[s] = lanes[0][s] + lanes[1][s];
}

}  // namespace watari::WATARI_BACKEND::hmatrix_parts
