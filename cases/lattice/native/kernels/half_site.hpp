/// The hop at a site by two threads, one for each spin of a half spinor (hop_body.hpp). The threads
/// are lanes i and i + 16 of a warp. Each adds in the order of hop_body.hpp, so the bits are the
/// same.
#pragma once

#include "hop_body.hpp"
#include "tiling.hpp"
#include "watari/core/cache_hints_gpu.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/parallel/lanes_gpu.hpp"

#include <cstddef>

namespace watari::gpu {

inline constexpr unsigned spin_bit = 16;  ///< bit of the lane: its spin; the lower bits: its site

/// A thread's half of a site: the spinor components of spins `spin` and 2 + `spin`.
template <class Real>
struct half_site {
    using number = complex<Real>;

    unsigned spin;
    Real sign;             ///< of this spin in i s_2 and i s_3: 1 for spin 0, -1 for spin 1
    std::ptrdiff_t cross;  ///< elements from component (spin, 0) to component (3 - spin, 0)
    const number* links;   ///< shared memory: [direction][forward, backward][element][site]
    number up[3], low[3];

    WATARI_INLINE half_site(unsigned own_spin, const number* own_links)
        : spin(own_spin),
          sign(own_spin ? -1 : 1),
          cross(static_cast<std::ptrdiff_t>(row_lanes) * (own_spin ? 3 : 9)),
          links(own_links) {}

    /// The value of the thread of the other spin.
    WATARI_INLINE static number swapped(const number& a) {
        return {exchanged(a.re, spin_bit), exchanged(a.im, spin_bit)};
    }

    /// Selects by value, so that arrays stay in registers.
    WATARI_INLINE static number chosen(bool first, number a, number b) {
        return {first ? a.re : b.re, first ? a.im : b.im};
    }

    template <bool Forward>
    WATARI_INLINE void transport(unsigned k, const number (&v)[3], number (&g)[3]) const {
        for (unsigned i = 0; i < 3; ++i)
            for (unsigned j = 0; j < 3; ++j) {
                const number link = links[(k * 9 + (Forward ? 3 * i + j : 3 * j + i)) * tile_sites];
                Forward ? add_product(g[i], link, v[j]) : add_conjugate_product(g[i], link, v[j]);
            }
    }

    /// add_neighbour of hop_body.hpp, for one spin. Along x and y, `low` holds the sum of the other
    /// spin.
    template <unsigned Direction, bool Forward>
    WATARI_INLINE void add(const number* from) {
        constexpr unsigned lanes = row_lanes;
        const Real s = Forward ? sign : -sign;
        number v[3], g[3]{};
        for (unsigned c = 0; c < 3; ++c) {
            if constexpr (Direction == 3) {
                const number one = load_often(from + ((Forward ? 6 : 0) + c) * lanes);
                v[c] = one + one;
            } else {
                v[c] = load_often(from + c * lanes);
                const number l =
                    load_often(from + c * lanes + (Direction == 2 ? 6 * lanes : cross));
                if constexpr (Direction == 0)
                    v[c] = Forward ? v[c] + times_i(l) : v[c] - times_i(l);
                if constexpr (Direction == 1) v[c] = {v[c].re + s * l.re, v[c].im + s * l.im};
                if constexpr (Direction == 2) v[c] = {v[c].re - s * l.im, v[c].im + s * l.re};
            }
        }
        transport<Forward>(2 * Direction + !Forward, v, g);
        for (unsigned c = 0; c < 3; ++c) {
            number &u = up[c], &l = low[c];
            if constexpr (Direction == 3) {
                (Forward ? l : u) = (Forward ? l : u) + g[c];
            } else {
                u = u + g[c];
                if constexpr (Direction == 0) l = Forward ? l - times_i(g[c]) : l + times_i(g[c]);
                if constexpr (Direction == 1) l = {l.re + s * g[c].re, l.im + s * g[c].im};
                if constexpr (Direction == 2) l = {l.re + s * g[c].im, l.im - s * g[c].re};
            }
        }
    }

    /// Computes (M psi)(n). offsets: component (spin, 0) of each neighbour, in the order x forward,
    /// x backward, then likewise y, z, t.
    WATARI_INLINE void sum_neighbours(const number* in, const unsigned (&offsets)[8]) {
        for (unsigned c = 0; c < 3; ++c) up[c] = low[c] = {};
        add<0, true>(in + offsets[0]);
        add<0, false>(in + offsets[1]);
        add<1, true>(in + offsets[2]);
        add<1, false>(in + offsets[3]);
        for (unsigned c = 0; c < 3; ++c) low[c] = swapped(low[c]);
        add<2, true>(in + offsets[4]);
        add<2, false>(in + offsets[5]);
        add<3, true>(in + offsets[6]);
        add<3, false>(in + offsets[7]);
    }

    /// multiply_clover of hop_body.hpp: spin 0 multiplies the block of u - l, spin 1 the block of
    /// u + l.
    template <class Block>
    WATARI_INLINE void multiply_clover(const Block& block) {
        number v[6], y[6];
        for (unsigned c = 0; c < 3; ++c) {
            const number plus = up[c] + low[c], minus = up[c] - low[c];
            const number other = swapped(chosen(spin, minus, plus));
            v[c] = chosen(spin, other, minus);
            v[3 + c] = chosen(spin, plus, other);
        }
        multiply_block(block, 0, v, y);
        for (unsigned c = 0; c < 3; ++c) {
            const number own = chosen(spin, y[3 + c], y[c]);
            const number other = swapped(chosen(spin, y[c], y[3 + c]));
            const number plus = chosen(spin, own, other), minus = chosen(spin, other, own);
            up[c] = plus + minus;
            low[c] = plus - minus;
        }
    }
};

/// One of the two blocks of F^-1 at a site, as multiply_block reads it.
template <class Real>
struct held_block {
    complex<Real> all[18];
    WATARI_INLINE const complex<Real>& clover(unsigned n) const { return all[n]; }
};

}  // namespace watari::gpu
