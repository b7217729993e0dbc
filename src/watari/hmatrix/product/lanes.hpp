/// Sums of a leaf's rows, as the threads of a GPU make them: a part of a sum each.
///
/// Sums along a row of V have 8 lanes, one a thread. Sums down columns have 4, two a thread: its
/// half of (lane 0 + lane 2) + (lane 1 + lane 3). Loads come before what needs them, some at once,
/// since memory is far; the order of additions is that of the lanes. Compiled for the CPU too, by
/// the tests.
#pragma once

#include "watari/core/backend.hpp"

#include <cstddef>

namespace watari::WATARI_BACKEND::hmatrix_parts {

constexpr unsigned row_sum = 8, column_sum = 4;  ///< lanes of a sum along a row, and down a column

/// Elements of a thread that are on their way at once.
template <unsigned Systems>
constexpr unsigned loads = Systems > 1 ? 4 : 8;

/// sum[s] += a[j] x_s[j] for j = lane, lane + 8, ...
template <unsigned Systems, class Element>
WATARI_INLINE void add_lane(const Element* a, const double* x, std::size_t stride,
                            std::size_t count, unsigned lane, double (&sum)[Systems]) {
    constexpr unsigned at_once = loads<Systems>;
    std::size_t j = lane;
    for (; j + row_sum * (at_once - 1) < count; j += row_sum * at_once) {
        Element own[at_once];
        for (unsigned u = 0; u < at_once; ++u) own[u] = a[j + row_sum * u];
        for (unsigned s = 0; s < Systems; ++s)
            for (unsigned u = 0; u < at_once; ++u)
                sum[s] += static_cast<double>(own[u]) * x[s * stride + j + row_sum * u];
    }
    for (; j < count; j += row_sum)
        for (unsigned s = 0; s < Systems; ++s)
            sum[s] += static_cast<double>(a[j]) * x[s * stride + j];
}

/// sum[s] = lane `half` + lane `half + 2` of the sum of a[r * rows] by_s[r] over r.
template <unsigned Systems, class Element>
WATARI_INLINE void add_half(const Element* a, std::size_t rows, const double* by,
                            std::size_t stride, std::size_t width, unsigned half,
                            double (&sum)[Systems]) {
    constexpr unsigned at_once = loads<Systems>;
    static_assert(at_once % 2 == 0);
    double lanes[2][Systems]{};
    std::size_t r = half;
    for (; r + 2 * (at_once - 1) < width; r += 2 * at_once) {
        Element own[at_once];
        for (unsigned u = 0; u < at_once; ++u) own[u] = a[(r + 2 * u) * rows];
        for (unsigned s = 0; s < Systems; ++s)
            for (unsigned u = 0; u < at_once; ++u)
                lanes[u % 2][s] += static_cast<double>(own[u]) * by[s * stride + r + 2 * u];
    }
    while (r < width)
        for (unsigned l = 0; l < 2; ++l, r += 2)  // their indices are known: registers
            for (unsigned s = 0; r < width && s < Systems; ++s)
                lanes[l][s] += static_cast<double>(a[r * rows]) * by[s * stride + r];
    for (unsigned s = 0; s < Systems; ++s) sum[s] = lanes[0][s] + lanes[1][s];
}

}  // namespace watari::WATARI_BACKEND::hmatrix_parts
