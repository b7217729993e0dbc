// Rows on a GPU: a row has half a warp, a thread one partial sum.
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
                      double sums[les::waves]{};
                      for (std::uint64_t at = is_row ? m.first[row] + lane : 0; at < end;
                           at += les::row_sums) {
                          const double shared = m.shared[at];
                          const std::uint32_t other = m.column[at];
                          sums[0] += shared * x[other];
                          sums[1] += shared * x[m.rows + other];
                      }
                      __syncwarp();
                      for (unsigned half = les::row_sums / 2; half > 0; half /= 2)
                          for (double& sum : sums) sum += __shfl_xor_sync(0xffffffffu, sum, half);
                      if (is_row && lane == 0) write(row, sums[0], sums[1]);
                  },
                  stream);
}

}  // namespace watari::gpu
