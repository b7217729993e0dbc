/// Sums along a row, by all lanes together: the threads of a warp, or one thread of a CPU.
#pragma once

#include "watari/core/parallel/warp.hpp"
#include "watari/hmatrix/product/lanes.hpp"

namespace watari::WATARI_BACKEND::hmatrix_parts {

constexpr bool on_cpu = executes == processor::type::cpu;

/// Sums that a warp computes at once; a thread of a CPU computes them one after the other.
constexpr unsigned dots_at_once = row_lanes / row_sum;

/// sum[s] = a . x_s over `count` elements, by row_sum lanes. All threads of a warp call it, with
/// count 0 where there is nothing to sum; each has the result.
template <unsigned Systems, class Element>
WATARI_KERNEL inline __attribute__((always_inline)) void lane_dots(
    const group& threads, const Element* a, const double* x, std::size_t stride, std::size_t count,
    double (&sum)[Systems]) {
    constexpr unsigned Lanes = row_sum, own = on_cpu ? Lanes : 1;
    double lane[Systems][own]{};
    const std::size_t rank = threads.rank() % Lanes;
    std::size_t j = rank;
    for (; j + Lanes <= count + rank; j += Lanes)
        for (unsigned s = 0; s < Systems; ++s)
            for (unsigned l = 0; l < own; ++l)
                lane[s][l] += static_cast<double>(a[j + l]) * x[s * stride + j + l];
    for (unsigned l = 0; l < own; ++l)
        if (j + l < count)
            for (unsigned s = 0; s < Systems; ++s)
                lane[s][l] += static_cast<double>(a[j + l]) * x[s * stride + j + l];
    for (unsigned s = 0; s < Systems; ++s) {
        for (unsigned half = Lanes / 2; half > 0; half /= 2) {
            if constexpr (on_cpu)
                for (unsigned l = 0; l < half; ++l) lane[s][l] += lane[s][l + half];
            else
                lane[s][0] += threads.broadcast(lane[s][0], threads.rank() ^ half);
        }
        sum[s] = lane[s][0];
    }
}

}  // namespace watari::WATARI_BACKEND::hmatrix_parts
