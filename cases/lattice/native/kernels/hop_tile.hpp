/// The hop for several right-hand sides on a GPU: a block computes a tile of 128 sites for all
/// systems.
///
/// Two threads compute a site (half_site.hpp). Links lie in shared memory and F^-1 in registers,
/// for all systems. In double, with links of 18 numbers and s systems, a site moves per system
/// through L2, in bytes:
///
///     (1152 + 576) / s     links and F^-1
///     4 x 192              spinors of the tile and of its faces, for a tile of 2x2x2 rows along t
///     192                  the result
///
/// The sum is 1104 B for 12 systems; an earlier kernel, with two systems per block, moved 1,700 B.
/// Memory moves (1152 + 576) / s + 384 B: 528 B for 12 systems. Flops: 1896.
///
/// The bits are those of the kernel for one system.
#pragma once

#include "../problem/fields.hpp"
#include "half_site.hpp"
#include "tile_sums.hpp"
#include "tiling.hpp"
#include "watari/core/loops.hpp"
#include "watari/core/parallel/lanes_gpu.hpp"

#include <limits>
#include <utility>

namespace watari::gpu {

/// The terms that a tile's hop adds to F^-1: none; the diagonal; also few_sums; or all_sums, whose
/// left vector is the diagonal. A compile-time constant, since each term costs registers.
enum class tile_form { inverse, diagonal, few_sums, all_sums };

/// The work of a block of 2 x 128 threads, 16 sites per warp.
template <tile_form Form, unsigned LinkElements, class Real>
struct tile_hop {
    static constexpr unsigned threads = 2 * tile_sites;
    static constexpr unsigned blocks_at_once = 16 / sizeof(complex<Real>);
    static constexpr std::size_t link_bytes = 8 * 9 * tile_sites * sizeof(complex<Real>);
    static constexpr bool has_diagonal = Form != tile_form::inverse;
    static constexpr unsigned sums = Form == tile_form::all_sums   ? lattice::all_sums
                                     : Form == tile_form::few_sums ? lattice::few_sums
                                                                   : 0;
    using number = complex<Real>;

    lattice::hop_arguments<Real> a;
    tiling tiles;

    /// Copies the links of a site into shared memory: spin 0 the forward links, spin 1 the backward
    /// links.
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

    /// The numbers of the neighbours: x forward, x backward, then likewise y, z, t.
    template <unsigned... K>
    WATARI_INLINE static void find_neighbours(const lattice::extents& size,
                                              const lattice::point& at, unsigned (&numbers)[8],
                                              std::integer_sequence<unsigned, K...>) {
        ((numbers[K] = lattice::number_of(size, lattice::moved(size, at, K / 2, K % 2 == 0))), ...);
    }

    /// Computes one system. first: element of this thread's first component; its components are 0
    /// to 2 and 6 to 8 from there.
    WATARI_INLINE void advance(half_site<Real>& here, const number* in,
                               const unsigned (&offsets)[8], const held_block<Real>& block,
                               std::size_t first, half_sums& second_halves,
                               double* partials) const {
        const auto element = [=](unsigned n) { return first + (n < 3 ? n : 3 + n) * row_lanes; };
        number diagonal[6], beside[6];
        here.sum_neighbours(in, offsets);
        if constexpr (has_diagonal)
            for (unsigned n = 0; n < 6; ++n) diagonal[n] = load_once(a.diagonal + element(n));
        here.multiply_clover(block);
        if constexpr (sums > 0)
            for (unsigned n = 0; n < 6; ++n)
                beside[n] =
                    load_once((Form == tile_form::all_sums ? a.other : a.left) + element(n));
        for (unsigned n = 0; n < 6; ++n) {
            number& value = n < 3 ? here.up[n] : here.low[n - 3];
            if constexpr (has_diagonal) value = diagonal[n] - number(a.factor) * value;
            store_once(a.out + element(n), value);
        }
        if constexpr (sums > 0) put_sums<sums>(here, diagonal, beside, second_halves, partials);
    }

    WATARI_KERNEL void operator()() const {
        // two buffers, so that one barrier per system is enough
        half_sums(&second_halves)[2] = shared_in_block<half_sums[2]>();
        const lattice::geometry where{a.where.size, 5};
        const std::size_t half = where.size.half(), vector = half * lattice::spinor;
        const unsigned lane = thread_in_block() % lanes_of_warp, spin = lane & spin_bit ? 1 : 0;
        const unsigned i = thread_in_block() / lanes_of_warp * spin_bit + lane % spin_bit;
        const unsigned site = tiles.site(where.size, block_in_grid(), i);
        number* const links = reinterpret_cast<number*>(block_memory()) + i;

        unsigned offsets[8];
        find_neighbours(where.size, lattice::point_of(where.size, a.parity, site), offsets,
                        std::make_integer_sequence<unsigned, 8>());
        keep_links(where, site, offsets, spin, links);
        for (unsigned& offset : offsets)
            offset = static_cast<unsigned>(where.element(lattice::spinor, offset, 3 * spin));
        held_block<Real> block;
        for (unsigned n = 0; n < 18; ++n)
            block.all[n] =
                load_once(a.clover + where.element(lattice::packed, site, 18 * spin + n));
        sync_warp();

        half_site<Real> here(spin, links);
        const std::size_t first = where.element(lattice::spinor, site, 3 * spin);
        const std::size_t pieces = half / lattice::piece_sites;
        for (unsigned system = 0; system < a.systems; ++system)
            advance(here, a.in + system * vector, offsets, block, first + system * vector,
                    second_halves[system % 2],
                    a.partials + sums * (system * pieces + site / lattice::piece_sites));
    }
};

/// Whether the tile kernel can run: it supports the arguments, every multiprocessor gets a tile, a
/// block gets its shared memory (155 KB in double), and offsets fit into 32 bits.
template <class Hop, class Real>
bool tiles_fit(const lattice::hop_arguments<Real>& a, const device::limits& has) {
    const std::size_t half = a.where.size.half();
    const std::size_t shared = Hop::link_bytes + 2 * sizeof(half_sums);
    return a.clover && (a.diagonal || !a.partials) && (!a.other || a.left == a.diagonal) &&
           a.where.log2_lanes == 5 && tiling::of(a.where.size).fits() &&
           half / tile_sites >= has.multiprocessors && shared <= has.shared_bytes &&
           half * lattice::spinor <= std::numeric_limits<unsigned>::max();
}

template <class Hop, class Real>
void run_tiles(const lattice::hop_arguments<Real>& a, stream_t stream) {
    launch<Hop::threads, Hop::blocks_at_once>(a.where.size.half() / tile_sites, Hop::threads,
                                              Hop{a, tiling::of(a.where.size)}, stream,
                                              Hop::link_bytes);
}

}  // namespace watari::gpu
