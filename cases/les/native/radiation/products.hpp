/// Products with the matrix of view factors, F = S / A, for long waves and light together.
///
///     apply        y = x - r F x                       the operator of the radiosity
///     sweep        y = e + r F x                       a Jacobi sweep
///     last_sweep   the same; received = F x, change = y - x
///     emit         e = eps sigma T^4 + (1 - eps) sky L_sky of long waves
///
/// An element of a vector has the long waves of a facet and its light, beside each other: one load.
/// A row has 16 partial sums, added by a tree of fixed shape: the same bits for any number of
/// threads, and on a GPU. Bytes of a product: 8 a non-zero; 68 a row (start 8, area 4, r 8, e 16, x
/// 16, y 16). x of other rows stays in the caches, since rows beside each other read the same
/// (row_order.hpp).
#pragma once

#include "watari/core/dispatch.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::les {

inline constexpr unsigned row_sums = 16;  ///< partial sums of a row
inline constexpr unsigned long_wave = 0, short_wave = 1;
inline constexpr unsigned waves = 2;

/// S in rows, in memory of the processor.
struct view_matrix {
    std::size_t rows;
    const std::uint64_t* first;  ///< non-zero with which a row begins, and the end
    const std::uint32_t*
        column;  ///< below `rows`; on a CPU also of row_sums elements behind the end
    const float *shared, *area;  ///< S_ij, A_i
    const float* reflected;      ///< r of both waves, a row after the other
    const std::uint32_t* parts;  ///< rows with which parts begin, and the end
    std::size_t part_count;      ///< parts have about as many non-zeros each
};

struct radiosity_kernels {
    void (*apply)(const view_matrix&, const double* x, double* y, stream_t);
    void (*sweep)(const view_matrix&, const double* emitted, const double* x, double* y, stream_t);
    void (*last_sweep)(const view_matrix&, const double* emitted, const double* x, double* y,
                       float* received, float* change, stream_t);
    /// Writes the long waves of `emitted`; their sky is in W/m2.
    void (*emit)(const view_matrix&, const float* temperature, const float* sky, double sky_emits,
                 double* emitted, stream_t);
    static const radiosity_kernels cpu, gpu;
};

}  // namespace watari::les
