/// The OpenMP kernels for compilers that map an OpenMP thread to a thread of the GPU, as LLVM's and
/// NVIDIA's do: the loops of acc_kernels.hpp. Included by omp_kernels.hpp.
#pragma once

#include "quad.hpp"

namespace watari::himeno::directive {

// 3 teams on each of an H100's and H200's 132 multiprocessors: Clang's code takes 166 registers a
// thread. Neighbouring teams advance through memory together.
inline constexpr int teams = 396, threads = 128;

/// Computes wrk2 from p; returns gosa. 56 bytes per point.
inline double step(const request& r, const float* p, float* wrk2, const float* a, const float* b,
                   const float* c, const float* wrk1, const float* bnd) {
    const shape s(r, in_quads(r, {p, wrk2, a, b, c, wrk1, bnd}));
    // an aggregate would be copied to the GPU and back each time
    const long row = s.row, plane = s.plane, points = s.points;
    const unsigned line = s.line, layer = s.layer, pieces = s.pieces;
    double gosa = 0;
    if (s.quads) {
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) \
    reduction(+ : gosa) map(tofrom : gosa) is_device_ptr(p, wrk2, a, b, c, wrk1, bnd)
        for (unsigned n = 0; n < pieces; ++n) {
            const unsigned i = n / layer + 1, j = n % layer / line + 1, piece = n % layer % line;
            gosa += advance(i * plane + j * row + 4 * piece, 4 * piece, row, plane, row, points, p,
                            wrk2, a, b, c, wrk1, bnd, false);
        }
        return gosa;
    }
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads) \
    reduction(+ : gosa) map(tofrom : gosa) is_device_ptr(p, wrk2, a, b, c, wrk1, bnd)
    for (unsigned n = 0; n < pieces; ++n) {
        const unsigned i = n / layer + 1, j = n % layer / line + 1, k = n % line + 1;
        const long x = i * plane + j * row + k;
        const float ss = residual(x, plane, row, points, p, a, b, c, wrk1, bnd);
        gosa += static_cast<double>(ss * ss);
        wrk2[x] = p[x] + 0.8f * ss;
    }
    return gosa;
}

/// p = wrk2 in the interior. 8 bytes per point.
inline void update(const request& r, float* p, const float* wrk2) {
    const shape s(r, in_quads(r, {p, wrk2}));
    const long row = s.row, plane = s.plane;
    const unsigned line = s.line, layer = s.layer, pieces = s.pieces;
    const bool quads = s.quads;
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(256) \
    is_device_ptr(p, wrk2)
    for (unsigned n = 0; n < pieces; ++n) {
        const unsigned i = n / layer + 1, j = n % layer / line + 1, piece = n % line;
        const long x = i * plane + j * row;
        if (quads)
            store(p + x + 4 * piece, load(wrk2 + x + 4 * piece));
        else
            p[x + 1 + piece] = wrk2[x + 1 + piece];
    }
}

}  // namespace watari::himeno::directive
