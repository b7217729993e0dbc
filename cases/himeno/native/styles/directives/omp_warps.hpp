/// The OpenMP kernels for GCC, which maps an OpenMP thread to a warp, simd lanes to its lanes:
/// without simd 31 of 32 lanes idle. Included by omp_kernels.hpp.
#pragma once

#include "quad.hpp"

namespace watari::himeno::directive {

// One team on each of an H200's 132 multiprocessors. GCC calls a region through a pointer, so the
// driver's compiler assumes 255 registers per thread, and at most 8 warps run at once: therefore
// OpenMP is slower than OpenACC. cases/himeno/EVIDENCE.md names the program.
inline constexpr int teams = 132, warps = 8;

/// Computes wrk2 from p; returns gosa. 56 bytes per point.
inline double step(const request& r, const float* p, float* wrk2, const float* a, const float* b,
                   const float* c, const float* wrk1, const float* bnd) {
    const shape s(r, in_quads(r, {p, wrk2, a, b, c, wrk1, bnd}));
    // an aggregate would be copied to the GPU and back each time
    const long row = s.row, plane = s.plane, points = s.points;
    const int is = static_cast<int>(r.i), js = static_cast<int>(r.j);
    const int line = static_cast<int>(s.line);
    double gosa = 0;
    if (s.quads) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) thread_limit(warps) \
    num_threads(warps) schedule(static, 1) reduction(+ : gosa) map(tofrom : gosa)                 \
    is_device_ptr(p, wrk2, a, b, c, wrk1, bnd)
        for (int i = 1; i < is - 1; ++i)
            for (int j = 1; j < js - 1; ++j) {
#pragma omp simd reduction(+ : gosa)
                for (int piece = 0; piece < line; ++piece)
                    gosa += advance(i * plane + j * row + 4 * piece, 4 * piece, row, plane, row,
                                    points, p, wrk2, a, b, c, wrk1, bnd, false);
            }
        return gosa;
    }
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) thread_limit(warps) \
    num_threads(warps) schedule(static, 1) reduction(+ : gosa) map(tofrom : gosa)                 \
    is_device_ptr(p, wrk2, a, b, c, wrk1, bnd)
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j) {
#pragma omp simd reduction(+ : gosa)
            for (int piece = 0; piece < line; ++piece) {
                const long x = i * plane + j * row + piece + 1;
                const float ss = residual(x, plane, row, points, p, a, b, c, wrk1, bnd);
                gosa += static_cast<double>(ss * ss);
                wrk2[x] = p[x] + 0.8f * ss;
            }
        }
    return gosa;
}

/// p = wrk2 in the interior. 8 bytes per point.
inline void update(const request& r, float* p, const float* wrk2) {
    const shape s(r, in_quads(r, {p, wrk2}));
    const long row = s.row, plane = s.plane;
    const int is = static_cast<int>(r.i), js = static_cast<int>(r.j);
    const int line = static_cast<int>(s.line);
    const bool quads = s.quads;
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) thread_limit(warps) \
    num_threads(warps) schedule(static, 1) is_device_ptr(p, wrk2)
    for (int i = 1; i < is - 1; ++i)
        for (int j = 1; j < js - 1; ++j) {
            const long x = i * plane + j * row;
#pragma omp simd
            for (int piece = 0; piece < line; ++piece)
                if (quads)
                    store(p + x + 4 * piece, load(wrk2 + x + 4 * piece));
                else
                    p[x + 1 + piece] = wrk2[x + 1 + piece];
        }
}

}  // namespace watari::himeno::directive
