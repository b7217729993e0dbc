/// Products with the matrix of view factors, F = S / A, for long waves and light together.
///
///     apply        y = x - r F x                       the operator of the radiosity
///     sweep        y = e + r F x                       a Jacobi sweep
///     last_sweep   the same; received = F x, change = y - x
///     emit         e = eps sigma T^4 + (1 - eps) sky L_sky of long waves
///
/// Vectors have the long waves of all facets, then their light. A row has 16 partial sums, added by
/// a tree of fixed shape: the same bits for any number of threads, and on a GPU. Bytes of a
/// product: 8 a non-zero; 60 a row (start 8, area 4, r 8, e 16, y 16, own x 8), and x of other
/// rows, which stays in the caches.
#pragma once

#include "watari/core/dispatch.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::les {

inline constexpr unsigned row_sums = 16;  ///< partial sums of a row
inline constexpr unsigned waves = 2;      ///< long waves, light

/// S in rows, in memory of the processor.
struct view_matrix {
    std::size_t rows;
    const std::uint64_t* first;  ///< non-zero with which a row begins, and the end
    const std::uint32_t* column;
    const float *shared, *area;  ///< S_ij, A_i
    const float* reflected;      ///< r of long waves, then of light
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
