/// <left, out> and |out|^2 of the pieces of a tile, added like those of one system: the
/// components of a site in turn, then the tree over a piece's 32 sites.
///
/// A piece is two warps', since a site is two threads' (half_site.hpp). The pair meets at a barrier
/// of its own, so that no warp waits for the other pairs.
#pragma once

#include "watari/cases/lattice/kernels/half_site.hpp"
#include "watari/core/loops.hpp"

namespace watari::gpu {

inline constexpr unsigned pair_threads = 64;

/// Of the second warps of pairs, by site.
using half_sums = double[2 * tile_sites / pair_threads][spin_bit][3];

/// Both threads of a site have them.
template <class Real>
WATARI_INLINE void sum_site(const half_site<Real>& at, const complex<Real> (&left)[6],
                            double (&sums)[3]) {
    for (unsigned part = 0; part < 2; ++part) {  // spins 0 and 1, then 2 and 3
        double own[3][3], other[3][3];
        for (unsigned c = 0; c < 3; ++c) {
            const complex<Real>&l = left[3 * part + c], &v = part ? at.low[c] : at.up[c];
            own[c][0] = double(l.re) * v.re + double(l.im) * v.im;
            own[c][1] = double(l.re) * v.im - double(l.im) * v.re;
            own[c][2] = double(v.re) * v.re + double(v.im) * v.im;
        }
        for (unsigned c = 0; c < 3; ++c)
            for (unsigned k = 0; k < 3; ++k)
                other[c][k] = __shfl_xor_sync(~0u, own[c][k], spin_bit);
        for (unsigned c = 0; c < 3; ++c)
            for (unsigned k = 0; k < 3; ++k) sums[k] += at.spin ? other[c][k] : own[c][k];
        for (unsigned c = 0; c < 3; ++c)
            for (unsigned k = 0; k < 3; ++k) sums[k] += at.spin ? own[c][k] : other[c][k];
    }
}

/// `to`: of this pair's piece. Calls that follow each other must have different `second_halves`.
template <class Real>
WATARI_INLINE void put_sums(const half_site<Real>& at, const complex<Real> (&left)[6],
                            half_sums& second_halves, double* to) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double sums[3]{};
    sum_site(at, left, sums);
    double(&second)[3] = second_halves[warp / 2][lane % spin_bit];
    if (warp % 2 && at.spin == 0)
        for (unsigned k = 0; k < 3; ++k) second[k] = sums[k];
    sync_part<pair_threads>(1 + warp / 2);
    if (warp % 2) return;
    for (unsigned k = 0; k < 3; ++k) {
        double value = sums[k] + second[k];
        for (unsigned half = 8; half > 0; half /= 2) value += __shfl_down_sync(~0u, value, half);
        if (lane == 0) to[k] = value;
    }
}

}  // namespace watari::gpu
