/// Sums of a leaf's rows, as the threads of a GPU compute them: each thread has a part of a sum.
///
/// Sums along a row of V have 8 lanes, one a thread. Sums down columns have 4, one a thread.
/// Several loads come together, before their values are used, since memory is far; the order of
/// additions is that of the lanes. The tests compile this for the CPU too.
#pragma once

#include "watari/core/backend.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::WATARI_BACKEND::hmatrix_parts {

constexpr unsigned row_sum = 8, column_sum = 4;  ///< lanes of a sum along a row, and down a column

/// sum[s] += a[8 u] x_s[8 u] for u < count, of u < Loads. The other u have an element of zero,
/// which changes no sum: without branches the loads are in flight together.
template <unsigned Loads, unsigned Systems, class Element>
WATARI_INLINE void add_some(const Element* a, const double* x, std::size_t stride, int count,
                            double (&sum)[Systems]) {
    Element own[Loads];
    for (int u = 0; u < int{Loads}; ++u) own[u] = u < count ? a[row_sum * u] : Element{0};
    for (unsigned s = 0; s < Systems; ++s)
        for (int u = 0; u < int{Loads}; ++u)
            sum[s] += static_cast<double>(own[u]) * (u < count ? x[s * stride + row_sum * u] : 0);
}

/// sum[s] += a[j] x_s[j] for j = lane, lane + 8, ...
template <unsigned Systems, class Element>
WATARI_INLINE void add_lane(const Element* a, const double* x, std::size_t stride,
                            std::uint32_t count, unsigned lane, double (&sum)[Systems]) {
    constexpr int many = Systems > 1 ? 8 : 16, few = many / 2;
    int left = static_cast<int>((count + row_sum - 1 - lane) / row_sum);
    a += lane, x += lane;
    for (; left >= many; left -= many, a += row_sum * many, x += row_sum * many)
        add_some<many>(a, x, stride, many, sum);
    if (left > few)
        add_some<many>(a, x, stride, left, sum);
    else if (left > 0)
        add_some<few>(a, x, stride, left, sum);
}

}  // namespace watari::WATARI_BACKEND::hmatrix_parts
