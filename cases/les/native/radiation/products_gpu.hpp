// Rows on a GPU: a row has half a warp, a thread one partial sum of each wave.
#pragma once

#include "watari/core/loops.hpp"

namespace watari::gpu {

/// Calls write(row, S x of long waves, of light) for all rows.
template <class Write>
void for_each_product(const les::view_matrix& m, const double* x, const Write& write,
                      stream_t stream) {
    for_each_warp((m.rows + 1) / 2,
                  [m, x, write] __device__(std::size_t warp) {
                      const unsigned lane = threadIdx.x % les::row_sums;
                      const std::size_t row = 2 * warp + threadIdx.x / les::row_sums;
                      const bool is_row = row < m.rows;
                      const std::uint64_t end = is_row ? m.first[row + 1] : 0;
                      const auto* const both_waves = reinterpret_cast<const double2*>(x);
                      double2 sums{};
                      for (std::uint64_t at = is_row ? m.first[row] + lane : 0; at < end;
                           at += les::row_sums) {
                          const double shared = m.shared[at];
                          const double2 other = both_waves[m.column[at]];
                          sums.x += shared * other.x;
                          sums.y += shared * other.y;
                      }
                      __syncwarp();
                      for (unsigned half = les::row_sums / 2; half > 0; half /= 2) {
                          sums.x += __shfl_xor_sync(0xffffffffu, sums.x, half);
                          sums.y += __shfl_xor_sync(0xffffffffu, sums.y, half);
                      }
                      if (is_row && lane == 0) write(row, sums.x, sums.y);
                  },
                  stream);
}

}  // namespace watari::gpu
