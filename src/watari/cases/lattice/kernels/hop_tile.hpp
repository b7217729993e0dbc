/// The hop for several right-hand sides on a GPU: a block takes a tile of 128 sites through all
/// systems.
///
/// A site has two threads, one for each spin of a half spinor (hop_body.hpp). Links lie in shared
/// memory and F^-1 in registers, for all systems. The limit is L2. In double, with links of 18 and
/// s systems, a site and system takes from it
///
///     (1152 + 576) / s     links and F^-1
///     4 x 192              spinors of the tile and of its faces, of a tile of 2x2x2 rows along t
///     192                  the result
///
/// That is 1104 B of 12 systems; an earlier kernel, whose blocks had two systems, took 1,700 B.
/// From memory it takes (1152 + 576) / s + 384 B: 528 B of 12 systems. Flops: 1896.
///
/// Each thread adds in the order of hop_body.hpp, and sums are added like those of one system, so
/// the bits are those of the kernel of one system.
#pragma once

#include "watari/cases/lattice/kernels/hop_body.hpp"
#include "watari/cases/lattice/problem/fields.hpp"
#include "watari/core/loops.hpp"

#include <limits>
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
/// L2 need not keep it.
template <class Real>
WATARI_INLINE complex<Real> load_once(const complex<Real>* from) {
    const auto v = __ldcs(reinterpret_cast<const typename vector_of<Real>::type*>(from));
    return {v.x, v.y};
}
template <class Real>
WATARI_INLINE void store_once(complex<Real>* to, const complex<Real>& value) {
    __stcs(reinterpret_cast<typename vector_of<Real>::type*>(to),
           typename vector_of<Real>::type{value.re, value.im});
}

inline constexpr unsigned tile_sites = 128;
inline constexpr unsigned spin_bit = 16;  ///< of a lane: its spin; the lower bits are its site

/// The shape of a tile: whole rows along t, in whole pieces of 32 sites that follow each other.
/// Tiles follow each other along z, then y, then x.
struct tiling {
    unsigned x = 0, y = 0, z = 0;  ///< rows; 0: no tile fits the extents

    static tiling of(const lattice::extents& size) {
        const unsigned row = size.row(), piece = lattice::piece_sites;
        const unsigned z = row < piece ? piece / row : 1;
        if ((row & (row - 1)) != 0 || row > tile_sites || size.z % z != 0) return {};
        return {row * z * 4 <= tile_sites ? 2u : 1, row * z * 2 <= tile_sites ? 2u : 1, z};
    }
    bool fits() const { return z != 0; }

    /// The number of site `i` of a tile.
    WATARI_INLINE unsigned site(const lattice::extents& size, unsigned tile, unsigned i) const {
        const unsigned along_z = size.z / z, along_y = size.y / y, row = size.row();
        const unsigned tile_z = tile % along_z, line = tile / along_z;
        const unsigned tile_y = line % along_y, tile_x = line / along_y;
        const unsigned h = i % row, column = i / row, plane = column / z;
        return (((tile_x * x + plane / y) * size.y + tile_y * y + plane % y) * size.z + tile_z * z +
                column % z) *
                   row +
               h;
    }
};

/// A thread's half of a site: the spinor components of spins `spin` and 2 + `spin`.
template <class Real>
struct half_site {
    using number = complex<Real>;

    unsigned spin;
    Real sign;             ///< of s_2 and s_3: 1 for spin 0, -1 for spin 1
    std::ptrdiff_t cross;  ///< from component (spin, 0) to (2 + 1 - spin, 0)
    const number* links;   ///< shared memory: [direction][forward, backward][element][site]
    number up[3], low[3];

    /// That of the other spin.
    WATARI_INLINE static number swapped(const number& a) {
        return {__shfl_xor_sync(~0u, a.re, spin_bit), __shfl_xor_sync(~0u, a.im, spin_bit)};
    }

    /// By value, so that arrays stay in registers.
    WATARI_INLINE static number chosen(bool first, number a, number b) {
        return {first ? a.re : b.re, first ? a.im : b.im};
    }

    template <bool Forward>
    WATARI_INLINE void transport(unsigned k, const number (&v)[3], number (&g)[3]) const {
        number link[3][3];
        for (unsigned a = 0; a < 9; ++a) link[a / 3][a % 3] = links[(k * 9 + a) * tile_sites];
        for (unsigned i = 0; i < 3; ++i)
            for (unsigned j = 0; j < 3; ++j)
                Forward ? add_product(g[i], link[i][j], v[j])
                        : add_conjugate_product(g[i], link[j][i], v[j]);
    }

    /// add_neighbour of hop_body.hpp, for one spin. Along x and y, `low` is that of the other spin.
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

    /// (M psi)(n). offsets: of the neighbours' component (spin, 0), those of x forward, backward,
    /// then those of y, z, t.
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

/// What a block of 2 x 128 threads does, 16 sites to a warp.
template <unsigned LinkElements, class Real>
struct tile_hop {
    static constexpr unsigned threads = 2 * tile_sites;
    static constexpr unsigned blocks_at_once = 16 / sizeof(complex<Real>);
    static constexpr std::size_t link_bytes = 8 * 9 * tile_sites * sizeof(complex<Real>);
    using number = complex<Real>;
    using half_sums = double[threads / 64][16][3];  ///< of the second halves of pieces, by site

    lattice::hop_arguments<Real> a;
    tiling tiles;

    /// The links of a site into shared memory: those forward by spin 0, the others by spin 1.
    WATARI_INLINE void keep_links(const lattice::geometry& where, unsigned site,
                                  const unsigned (&others)[8], unsigned spin, number* links) const {
        const unsigned parity = spin ? 1 - a.parity : a.parity;
        number u[4][3][3];
        for (unsigned d = 0; d < 4; ++d) {
            const number* const from = a.links +
                                       (parity * 4 + d) * where.size.half() * LinkElements +
                                       where.first(LinkElements, spin ? others[2 * d + 1] : site);
            for (unsigned e = 0; e < LinkElements; ++e)
                u[d][e / 3][e % 3] = load_once(from + e * row_lanes);
        }
        for (unsigned d = 0; d < 4; ++d) {
            if constexpr (LinkElements == 6) complete(u[d]);
            for (unsigned e = 0; e < 9; ++e)
                links[((2 * d + spin) * 9 + e) * tile_sites] = u[d][e / 3][e % 3];
        }
    }

    /// Numbers of the neighbours, those of x forward, backward, then those of y, z, t.
    template <unsigned... K>
    WATARI_INLINE static void find_neighbours(const lattice::extents& size,
                                              const lattice::point& at, unsigned (&numbers)[8],
                                              std::integer_sequence<unsigned, K...>) {
        ((numbers[K] = lattice::number_of(size, lattice::moved(size, at, K / 2, K % 2 == 0))), ...);
    }

    /// <left, out> and |out|^2 of the tile's pieces, in the order of one thread a site: components
    /// 0, 1, ... in turn, then the tree over 32 sites. A piece is two warps'; `second_half` has the
    /// sums of each site of the odd one.
    WATARI_INLINE static void put_sums(const half_site<Real>& at, const number (&left)[6],
                                       half_sums& second_half, double* to) {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        double sums[3]{};
        for (unsigned turn = 0; turn < 4; ++turn) {
            for (unsigned c = 0; c < 3; ++c) {
                const number& value = turn < 2 ? at.up[c] : at.low[c];
                const number& l = left[turn / 2 * 3 + c];
                sums[0] += double(l.re) * value.re + double(l.im) * value.im;
                sums[1] += double(l.re) * value.im - double(l.im) * value.re;
                sums[2] += double(value.re) * value.re + double(value.im) * value.im;
            }
            const unsigned from = turn % 2 ? lane | spin_bit : lane & ~spin_bit;
            for (double& sum : sums) sum = __shfl_sync(~0u, sum, from);
        }
        const unsigned site = lane % spin_bit;
        if (warp % 2 && at.spin == 0)
            for (unsigned k = 0; k < 3; ++k) second_half[warp / 2][site][k] = sums[k];
        __syncthreads();
        if (warp % 2) return;
        for (unsigned k = 0; k < 3; ++k) {
            double value = sums[k] + second_half[warp / 2][site][k];
            for (unsigned half = 8; half > 0; half /= 2)
                value += __shfl_down_sync(~0u, value, half);
            if (lane == 0) to[k] = value;
        }
    }

    __device__ void operator()() const {
        // two, so that one barrier a system is enough
        __shared__ half_sums second_halves[2];
        const lattice::geometry where{a.where.size, 5};
        const std::size_t half = where.size.half(), vector = half * lattice::spinor;
        const unsigned lane = threadIdx.x % 32, spin = lane & spin_bit ? 1 : 0;
        const unsigned i = threadIdx.x / 32 * spin_bit + lane % spin_bit;
        const unsigned site = tiles.site(where.size, blockIdx.x, i);
        number* const links = reinterpret_cast<number*>(block_memory()) + i;

        unsigned offsets[8];
        find_neighbours(where.size, lattice::point_of(where.size, a.parity, site), offsets,
                        std::make_integer_sequence<unsigned, 8>());
        keep_links(where, site, offsets, spin, links);
        for (unsigned& offset : offsets)
            offset = static_cast<unsigned>(where.element(lattice::spinor, offset, 3 * spin));
        held_block<Real> block;
        if (a.clover)
            for (unsigned n = 0; n < 18; ++n)
                block.all[n] =
                    load_once(a.clover + where.element(lattice::packed, site, 18 * spin + n));
        __syncwarp();

        half_site<Real> here;
        here.spin = spin;
        here.sign = spin ? -1 : 1;
        here.cross = static_cast<std::ptrdiff_t>(row_lanes) * (spin ? 3 : 9);
        here.links = links;
        const number* in = a.in;
        std::size_t begin = where.element(lattice::spinor, site, 3 * spin);
        for (unsigned system = 0; system < a.systems; ++system, in += vector, begin += vector) {
            here.sum_neighbours(in, offsets);
            number diagonal[6], left[6];
            for (unsigned n = 0; n < 6; ++n) {
                const std::size_t e = begin + (n < 3 ? n : 3 + n) * row_lanes;
                if (a.diagonal) diagonal[n] = load_once(a.diagonal + e);
                if (a.partials) left[n] = load_once(a.left + e);
            }
            if (a.clover) here.multiply_clover(block);
            for (unsigned n = 0; n < 6; ++n) {
                number& value = n < 3 ? here.up[n] : here.low[n - 3];
                if (a.diagonal) value = diagonal[n] - number(a.factor) * value;
                store_once(a.out + begin + (n < 3 ? n : 3 + n) * row_lanes, value);
            }
            if (a.partials)
                put_sums(here, left, second_halves[system % 2],
                         a.partials + 3 * (system * (half / lattice::piece_sites) + site / 32));
        }
    }
};

/// Whether tiles give work to every multiprocessor, and a block can have the shared memory: 150 KB
/// in double. Offsets are of 32 bits.
template <class Hop, class Real>
bool tiles_fit(const lattice::hop_arguments<Real>& a, const device::limits& has) {
    const std::size_t half = a.where.size.half();
    const std::size_t shared = Hop::link_bytes + 2 * sizeof(typename Hop::half_sums);
    return a.where.log2_lanes == 5 && tiling::of(a.where.size).fits() &&
           half / tile_sites >= has.multiprocessors && shared <= has.shared_bytes &&
           half * lattice::spinor <= std::numeric_limits<unsigned>::max();
}

template <class Hop, class Real>
void run_tiles(const lattice::hop_arguments<Real>& a, stream_t stream) {
    launch<Hop::threads, Hop::blocks_at_once>(a.where.size.half() / tile_sites, dim3(Hop::threads),
                                              Hop{a, tiling::of(a.where.size)}, stream,
                                              Hop::link_bytes);
}

}  // namespace watari::gpu
