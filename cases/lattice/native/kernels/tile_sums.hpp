/// The sums of the pieces of a tile, added like those of one system: components of each thread in
/// turn, both threads of a site, then the tree over a piece's 32 sites.
///
/// Two warps compute a piece, since two threads compute a site (half_site.hpp). The pair of warps
/// has its own barrier, so no warp waits for the other pairs.
#pragma once

#include "half_site.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/parallel/lanes_gpu.hpp"

namespace watari::gpu {

inline constexpr unsigned pair_threads = 64;

/// The sums of the second warp of each pair, by site.
using half_sums = double[2 * tile_sites / pair_threads][spin_bit][lattice::all_sums];

/// Adds few_sums with left = `beside`, or all_sums with left = `diagonal` and other = `beside`.
/// `to`: the sums of this pair's piece. Consecutive calls need different `second_halves`.
template <unsigned Width, class Real>
WATARI_INLINE void put_sums(const half_site<Real>& at, const complex<Real> (&diagonal)[6],
                            const complex<Real> (&beside)[6], half_sums& second_halves,
                            double* to) {
    const unsigned lane = thread_in_block() % lanes_of_warp,
                   warp = thread_in_block() / lanes_of_warp;
    double sums[Width]{};
    for (unsigned n = 0; n < 6; ++n) {
        const complex<double> out = widen(n < 3 ? at.up[n] : at.low[n - 3]);
        if constexpr (Width == lattice::all_sums)
            add_all_sums(sums, widen(diagonal[n]), out, widen(beside[n]));
        else
            add_few_sums(sums, widen(beside[n]), out);
    }
    for (double& sum : sums) sum += exchanged(sum, spin_bit);
    double(&second)[lattice::all_sums] = second_halves[warp / 2][lane % spin_bit];
    if (warp % 2 && at.spin == 0)
        for (unsigned k = 0; k < Width; ++k) second[k] = sums[k];
    sync_part<pair_threads>(1 + warp / 2);
    if (warp % 2) return;
    for (unsigned k = 0; k < Width; ++k) {
        double value = sums[k] + second[k];
        for (unsigned half = 8; half > 0; half /= 2) value += from_above(value, half);
        if (lane == 0) to[k] = value;
    }
}

}  // namespace watari::gpu
