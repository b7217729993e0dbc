/// The hop for several right-hand sides on a GPU: a tile of sites goes through all systems.
///
/// A block has the sites of a tile, two threads each: one for each spin of a half spinor. Links lie
/// in shared memory and F^-1 in registers, for all systems; they are read from L2 once. So L2 is
/// asked for (links + F^-1) / systems, the spinors of the tile and of its faces, and the result.
/// Of 128 sites in 8 rows along t, a site and one of 12 systems in double: 144 + 4 x 192 + 192 =
/// 1104 B. The order of operations is that of hop_body.hpp, so the bits are the same.
#pragma once

#include "watari/cases/lattice/kernels/hop_body.hpp"
#include "watari/cases/lattice/problem/fields.hpp"

#include <type_traits>
#include <utility>

namespace watari::gpu {

template <class Real>
struct vector_of;
template <>
struct vector_of<double> {
    using type = double2;
};
template <>
struct vector_of<float> {
    using type = float2;
};

template <class Real>
WATARI_INLINE complex<Real> load_often(const complex<Real>* from) {
    const auto v = __ldg(reinterpret_cast<const typename vector_of<Real>::type*>(from));
    return {v.x, v.y};
}
template <class Real>
WATARI_INLINE complex<Real> load_once(const complex<Real>* from) {
    const auto v = __ldcs(reinterpret_cast<const typename vector_of<Real>::type*>(from));
    return {v.x, v.y};
}
/// Into shared memory, until `settle`.
template <class Real>
WATARI_INLINE void load_later(complex<Real>* to, const complex<Real>* from) {
    const auto at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (sizeof *to == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at), "l"(from) : "memory");
}

template <class Real>
WATARI_INLINE void store_once(complex<Real>* to, const complex<Real>& value) {
    __stcs(reinterpret_cast<typename vector_of<Real>::type*>(to),
           typename vector_of<Real>::type{value.re, value.im});
}

/// Rows along t of a tile, and how tiles follow each other: along z, along y within a strip, along
/// x, then strip by strip. A strip is as wide as the tiles that run at once, so that L2 has the
/// neighbours along x. A tile has whole rows, and whole pieces of 32 sites that follow each other.
struct tiling {
    unsigned z, y, x, strip;

    /// Of `sites` a tile. all() is 0 where the extents do not allow it.
    static tiling of(const lattice::extents& size, unsigned sites, unsigned at_once = 132) {
        const unsigned row = size.row(), piece = lattice::piece_sites;
        tiling t{row < piece ? piece / row : 1, 1, 1, 1};
        if ((row & (row - 1)) != 0 || row > sites || size.z % t.z != 0) return {0, 0, 0, 0};
        if (row * t.z * 2 <= sites) t.y = 2;
        if (row * t.z * 4 <= sites) t.x = 2;
        const unsigned along_y = size.y / t.y;
        t.strip = along_y;
        while (t.strip % 2 == 0 && size.z / t.z * t.strip > at_once * 128 / sites) t.strip /= 2;
        return t;
    }
    unsigned all(const lattice::extents& size) const {
        return z == 0 ? 0 : size.z / z * (size.y / y) * (size.x / x);
    }
    /// The number of site `i` of a tile.
    WATARI_INLINE unsigned site(const lattice::extents& size, unsigned tile, unsigned i) const {
        const unsigned along_z = size.z / z, along_x = size.x / x, row = size.row();
        const unsigned tile_z = tile % along_z, line = tile / along_z;
        const unsigned tile_y = line % strip + line / strip / along_x * strip;
        const unsigned tile_x = line / strip % along_x;
        const unsigned h = i % row, column = i / row, plane = column / z;
        return (((tile_x * x + plane / y) * size.y + tile_y * y + plane % y) * size.z + tile_z * z +
                column % z) *
                   row +
               h;
    }
};

/// How a tile is worked on: what is tried.
template <unsigned Sites, bool Ahead, bool Together, unsigned SpinBit, bool Kept = false,
          bool Later = false, bool Near = false>
struct tile_way {
    static constexpr unsigned sites = Sites;     ///< of a tile
    static constexpr bool ahead = Ahead;         ///< L2 is asked for the next system's spinors
    static constexpr bool together = Together;   ///< warps wait for each other at each system
    static constexpr unsigned spin_bit = SpinBit;  ///< of a lane: which spin
    static constexpr bool kept = Kept;           ///< L2 is to keep the result
    static constexpr bool later = Later;         ///< links arrive while the first system runs
    static constexpr bool near = Near;           ///< wrong: a bound, all neighbours are one site
    /// Of the lane that is `sites` further.
    static constexpr unsigned lanes(unsigned sites_on) {
        return sites_on < SpinBit ? sites_on : 2 * sites_on;
    }
};

/// A thread's half of a site.
template <class Way, class Real>
struct half_site {
    using number = complex<Real>;
    static constexpr unsigned lanes = 32;

    unsigned spin;
    Real sign;                ///< of s_2 and s_3: 1 for spin 0, -1 for spin 1
    std::ptrdiff_t cross;     ///< from component (spin, 0) to (2 + 1 - spin, 0)
    const number* links;      ///< shared memory: [direction, forward or not][element][site]
    number up[3], low[3];     ///< spins `spin` and 2 + `spin`

    WATARI_INLINE static number swapped(const number& a) {
        return {__shfl_xor_sync(~0u, a.re, Way::spin_bit), __shfl_xor_sync(~0u, a.im, Way::spin_bit)};
    }

    /// By value, so that arrays stay in registers.
    WATARI_INLINE static number chosen(bool first, number a, number b) {
        return {first ? a.re : b.re, first ? a.im : b.im};
    }

    template <bool Forward>
    WATARI_INLINE void transport(unsigned k, const number (&v)[3], number (&g)[3]) const {
        number link[3][3];
        for (unsigned a = 0; a < 9; ++a) link[a / 3][a % 3] = links[(k * 9 + a) * Way::sites];
        for (unsigned i = 0; i < 3; ++i)
            for (unsigned j = 0; j < 3; ++j)
                Forward ? add_product(g[i], link[i][j], v[j])
                        : add_conjugate_product(g[i], link[j][i], v[j]);
    }

    /// add_neighbour of hop_body.hpp, for one spin. Along x and y, `low` is that of the other spin.
    template <unsigned Direction, bool Forward>
    WATARI_INLINE void add(const number* from) {
        number v[3], g[3]{};
        for (unsigned c = 0; c < 3; ++c) {
            if constexpr (Direction == 3) {
                const number one = load_often(from + ((Forward ? 6 : 0) + c) * lanes);
                v[c] = one + one;
                continue;
            }
            v[c] = load_often(from + c * lanes);
            const number l = load_often(from + c * lanes + (Direction == 2 ? 6 * lanes : cross));
            const Real s = Forward ? sign : -sign;
            if constexpr (Direction == 0) v[c] = Forward ? v[c] + times_i(l) : v[c] - times_i(l);
            if constexpr (Direction == 1) v[c] = {v[c].re + s * l.re, v[c].im + s * l.im};
            if constexpr (Direction == 2) v[c] = {v[c].re - s * l.im, v[c].im + s * l.re};
        }
        transport<Forward>(2 * Direction + !Forward, v, g);
        for (unsigned c = 0; c < 3; ++c) {
            const Real s = Forward ? sign : -sign;
            if constexpr (Direction == 3) {
                number& to = Forward ? low[c] : up[c];
                to = to + g[c];
                continue;
            }
            up[c] = up[c] + g[c];
            if constexpr (Direction == 0)
                low[c] = Forward ? low[c] - times_i(g[c]) : low[c] + times_i(g[c]);
            if constexpr (Direction == 1) low[c] = {low[c].re + s * g[c].re, low[c].im + s * g[c].im};
            if constexpr (Direction == 2) low[c] = {low[c].re + s * g[c].im, low[c].im - s * g[c].re};
        }
    }

    /// (M psi)(n). offsets: of the neighbours' component (spin, 0), those of x forward, backward, ...
    template <class Settle>
    WATARI_INLINE void sum_neighbours(const number* in, const unsigned (&offsets)[8],
                                      const Settle& settle) {
        for (unsigned c = 0; c < 3; ++c) up[c] = low[c] = {};
        settle(std::integral_constant<unsigned, 0>());
        add<0, true>(in + offsets[0]);
        add<0, false>(in + offsets[1]);
        add<1, true>(in + offsets[2]);
        add<1, false>(in + offsets[3]);
        for (unsigned c = 0; c < 3; ++c) low[c] = swapped(low[c]);
        settle(std::integral_constant<unsigned, 2>());
        add<2, true>(in + offsets[4]);
        add<2, false>(in + offsets[5]);
        add<3, true>(in + offsets[6]);
        add<3, false>(in + offsets[7]);
    }

    /// multiply_clover of hop_body.hpp: spin 0 has the block of u - l, spin 1 that of u + l.
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

/// Half of F^-1 at a site, as multiply_block reads it.
template <class Real>
struct held_block {
    complex<Real> all[18];
    WATARI_INLINE const complex<Real>& clover(unsigned n) const { return all[n]; }
};

/// <left, out> and |out|^2 of the pieces of a tile, with the order of operations of one thread a
/// site: components 0, 1, ... in turn, then the tree over 32 sites.
template <class Way>
struct piece_sums {
    double (*shared)[16][3];  ///< [warp][site]: of the second half of a piece
    unsigned spin, lane, warp;

    template <class Real>
    WATARI_INLINE void put(const half_site<Way, Real>& at, const complex<Real> (&left)[6],
                           double* to) const {
        double sums[3]{};
#pragma unroll
        for (unsigned turn = 0; turn < 4; ++turn) {
            for (unsigned c = 0; c < 3; ++c) {
                const complex<Real>& value = turn < 2 ? at.up[c] : at.low[c];
                const complex<Real>& l = left[turn / 2 * 3 + c];
                sums[0] += double(l.re) * value.re + double(l.im) * value.im;
                sums[1] += double(l.re) * value.im - double(l.im) * value.re;
                sums[2] += double(value.re) * value.re + double(value.im) * value.im;
            }
            const unsigned from = turn % 2 ? lane | Way::spin_bit : lane & ~Way::spin_bit;
            for (double& sum : sums) sum = __shfl_sync(~0u, sum, from);
        }
        const unsigned site = lane % Way::spin_bit + lane / Way::spin_bit / 2 * Way::spin_bit;
        if (warp % 2 && spin == 0)
            for (unsigned k = 0; k < 3; ++k) shared[warp / 2][site][k] = sums[k];
        __syncthreads();
        if (warp % 2) return;
        for (unsigned k = 0; k < 3; ++k) {
            double value = sums[k] + shared[warp / 2][site][k];
            for (unsigned half = 8; half > 0; half /= 2)
                value += __shfl_down_sync(~0u, value, Way::lanes(half));
            if (lane == 0) to[k] = value;
        }
    }
};

template <unsigned LinkElements, class Way, class Real>
struct several_hop {
    static constexpr unsigned threads = 2 * Way::sites, blocks = 128 / Way::sites;
    static constexpr std::size_t shared_bytes = 8 * 9 * Way::sites * sizeof(complex<Real>);
    using number = complex<Real>;
    static constexpr unsigned lanes = 32;

    lattice::hop_arguments<Real> a;
    tiling tiles;

    /// Numbers of the neighbours, those of x forward, backward, ...
    template <unsigned... K>
    WATARI_INLINE static void find_neighbours(const lattice::extents& size,
                                              const lattice::point& at, unsigned (&numbers)[8],
                                              std::integer_sequence<unsigned, K...>) {
        ((numbers[K] = lattice::number_of(size, lattice::moved(size, at, K / 2, K % 2 == 0))),
         ...);
    }

    /// The links of a site into shared memory: those forward by spin 0, the others by spin 1.
    WATARI_INLINE void keep_links(const lattice::geometry& where, unsigned number_of_site,
                                  const unsigned (&others)[8], unsigned spin, number* links) const {
        const std::size_t half = where.size.half();
        const unsigned parity = spin ? 1 - a.parity : a.parity;
        number u[4][3][3];
        for (unsigned d = 0; d < 4; ++d) {
            const unsigned owner = spin ? others[2 * d + 1] : number_of_site;
            const number* const from = a.links + (parity * 4 + d) * half * LinkElements +
                                       where.first(LinkElements, owner);
            for (unsigned e = 0; e < LinkElements; ++e)
                if constexpr (Way::later)
                    load_later(links + ((2 * d + spin) * 9 + e) * Way::sites, from + e * lanes);
                else
                    u[d][e / 3][e % 3] = load_once(from + e * lanes);
            if (Way::later && d % 2) asm volatile("cp.async.commit_group;" ::: "memory");
        }
        if constexpr (Way::later) return;
        for (unsigned d = 0; d < 4; ++d) {
            if constexpr (LinkElements == 6) complete(u[d]);
            for (unsigned e = 0; e < 9; ++e)
                links[((2 * d + spin) * 9 + e) * Way::sites] = u[d][e / 3][e % 3];
        }
    }

    /// The links of directions First and First + 1 have arrived.
    template <unsigned First>
    WATARI_INLINE static void settle(unsigned spin, number* links) {
        asm volatile("cp.async.wait_group %0;" ::"n"(First == 0 ? 1 : 0) : "memory");
        if constexpr (LinkElements == 6)
            for (unsigned d = First; d < First + 2; ++d) {
                number u[3][3];
                for (unsigned e = 0; e < 6; ++e)
                    u[e / 3][e % 3] = links[((2 * d + spin) * 9 + e) * Way::sites];
                complete(u);
                for (unsigned e = 6; e < 9; ++e)
                    links[((2 * d + spin) * 9 + e) * Way::sites] = u[e / 3][e % 3];
            }
        __syncwarp();
    }

    __device__ void operator()() const {
        extern __shared__ __align__(16) unsigned char shared[];
        __shared__ double second_halves[2][Way::sites / 32][16][3];
        const lattice::geometry where{a.where.size, 5};
        const std::size_t half = where.size.half(), vector = half * lattice::spinor;
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const unsigned spin = lane & Way::spin_bit ? 1 : 0;
        const unsigned i = warp * 16 + lane % Way::spin_bit + lane / Way::spin_bit / 2 * Way::spin_bit;
        const unsigned site = tiles.site(where.size, blockIdx.x, i);
        number* const links = reinterpret_cast<number*>(shared) + i;

        unsigned offsets[8];
        find_neighbours(where.size, lattice::point_of(where.size, a.parity, site), offsets,
                        std::make_integer_sequence<unsigned, 8>());
        keep_links(where, site, offsets, spin, links);
        if (Way::near)
            for (unsigned& offset : offsets) offset = site;
#pragma unroll
        for (unsigned& offset : offsets)
            offset = static_cast<unsigned>(where.element(lattice::spinor, offset, 3 * spin));
        held_block<Real> block;
        if (a.clover)
            for (unsigned n = 0; n < 18; ++n)
                block.all[n] =
                    load_once(a.clover + where.element(lattice::packed, site, 18 * spin + n));
        __syncwarp();

        half_site<Way, Real> here;
        here.spin = spin;
        here.sign = spin ? -1 : 1;
        here.cross = static_cast<std::ptrdiff_t>(lanes) * (spin ? 3 : 9);
        here.links = links;
        const auto own = static_cast<unsigned>(where.element(lattice::spinor, site, 3 * spin));
        const number* in = a.in;
        std::size_t begin = own;
#pragma unroll 1
        for (unsigned system = 0; system < a.systems; ++system, in += vector, begin += vector) {
            if (Way::ahead && system + 1 < a.systems && lane == 0 && warp % 2 == 0)
                ask_early(in + vector + own, begin + vector);
            here.sum_neighbours(in, offsets, [&]<unsigned First>(std::integral_constant<unsigned, First>) {
                if (Way::later && system == 0) settle<First>(spin, links);
            });
            number diagonal[6], left[6];
            for (unsigned n = 0; n < 6; ++n) {
                const std::size_t e = begin + (n < 3 ? n : 3 + n) * lanes;
                if (a.diagonal) diagonal[n] = load_once(a.diagonal + e);
                if (a.partials) left[n] = load_once(a.left + e);
            }
            if (a.clover) here.multiply_clover(block);
            for (unsigned n = 0; n < 6; ++n) {
                number& value = n < 3 ? here.up[n] : here.low[n - 3];
                if (a.diagonal) value = diagonal[n] - number(a.factor) * value;
                number* const to = a.out + begin + (n < 3 ? n : 3 + n) * lanes;
                if (Way::kept)
                    *to = value;
                else
                    store_once(to, value);
            }
            if (a.partials)
                piece_sums<Way>{second_halves[system % 2], spin, lane, warp}.put(
                    here, left, a.partials + 3 * (system * (half / lattice::piece_sites) + site / 32));
            if (Way::together && !a.partials) __syncthreads();
        }
    }

    /// L2 is to have what the next system's tile reads: 32 sites of each field.
    WATARI_INLINE void ask_early(const number* in, std::size_t begin) const {
        const auto ask = [](const number* from) {
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from),
                         "n"(32 * lattice::spinor * sizeof(number)));
        };
        ask(in);
        if (a.diagonal) ask(a.diagonal + begin);
        if (a.partials && a.left != a.diagonal) ask(a.left + begin);
    }
};

}  // namespace watari::gpu
