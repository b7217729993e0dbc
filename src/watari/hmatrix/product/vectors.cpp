// Kernels for both backends; see core/backend.hpp.
#include "watari/hmatrix/product/kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/hmatrix/product/row_dots.hpp"

namespace watari::WATARI_BACKEND {

namespace hmatrix_parts {

inline void clear(double* y, std::size_t count, stream_t stream) {
    for_each(
        count, [=] WATARI_KERNEL(std::size_t i) { y[i] = 0; }, stream);
}

inline void jacobi(const hmatrix::jacobi_view& m, const double* r, double* z, std::size_t systems,
                   stream_t stream) {
    constexpr std::size_t together = dots_at_once;
    const std::size_t count = m.length * systems;
    for_each_warp((count + together - 1) / together,
                  [=] WATARI_KERNEL(std::size_t w) {
                      const group threads = group::active();
                      const unsigned own = on_cpu ? together : 1;
                      for (unsigned k = 0; k < own; ++k) {
                          const std::size_t i =
                              w * together + (on_cpu ? k : threads.rank() / row_sum);
                          const bool is_one = i < count;
                          const std::size_t row = is_one ? i % m.length : 0, system = i / m.length;
                          double sum[1];
                          lane_dots<1>(threads, m.data + m.offsets[row],
                                       r + (is_one ? system * m.length + m.first[row] : 0), 0,
                                       is_one ? m.count[row] : 0, sum);
                          if (is_one && threads.rank() % row_sum == 0) z[i] = sum[0];
                      }
                  },
                  stream);
}

}  // namespace hmatrix_parts

}  // namespace watari::WATARI_BACKEND

namespace watari::hmatrix {

const vector_kernels vector_kernels::WATARI_BACKEND{
    .clear = WATARI_BACKEND::hmatrix_parts::clear, .jacobi = WATARI_BACKEND::hmatrix_parts::jacobi};

}  // namespace watari::hmatrix
