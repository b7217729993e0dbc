/// The loops of the GPU: a warp has a tile of a row and several planes. Part of loops.hpp, which
/// includes it.
///
/// Lanes lie along x. A lane takes four planes at once: it loads a value that two planes share
/// once, all its loads overlap, and fewer planes are read twice from the L2 cache. The warps of a
/// block have neighbouring rows, which they read from the same L1 cache.
#pragma once

#include "loops.hpp"

#include <cstddef>
#include <type_traits>

namespace watari::gpu {

inline constexpr unsigned warps_of_a_block = 8;
inline constexpr unsigned planes_at_once = 4;

/// Cells of a warp: `cells` of row j from i on, in `planes` planes from k on.
struct tile {
    index k, j, i, planes, cells;
};

/// The size of a grid's tiles. Tiles of a small grid are smaller, so that the GPU has enough warps.
struct tiling {
    unsigned cells, planes;

    __host__ __device__ dim3 of(const les::grid& g) const {
        const auto parts = [](std::size_t all, unsigned each) {
            return static_cast<unsigned>((all + each - 1) / each);
        };
        return dim3(parts(g.size.x, cells), parts(g.size.y, warps_of_a_block),
                    parts(g.size.z, planes));
    }
};
inline tiling tiling_of(const les::grid& g) {
    constexpr std::size_t enough = std::size_t{1} << 23;  // cells, for 132 multiprocessors
    return g.size.cells() >= enough ? tiling{4 * row_lanes, 2 * planes_at_once}
                                    : tiling{row_lanes, planes_at_once};
}

/// Blocks of a body's loop on a multiprocessor, which limits the registers of a thread to 64 or
/// 128.
template <class Body, class Real>
inline constexpr unsigned blocks_at_once = sizeof(Real) == 4 && !has_many_registers<Body> ? 4 : 2;

/// Calls work(tile, lane) for each tile, by all lanes of a warp.
template <unsigned BlocksAtOnce, class Work>
void for_each_tile(const les::grid& g, const tiling& by, Work work, stream_t stream) {
    launch<warps_of_a_block * row_lanes, BlocksAtOnce>(
        by.of(g), dim3(row_lanes, warps_of_a_block),
        [=] __device__() {
            const unsigned j = blockIdx.y * warps_of_a_block + threadIdx.y;
            const unsigned i = blockIdx.x * by.cells, k = blockIdx.z * by.planes;
            const auto x = static_cast<unsigned>(g.size.x), z = static_cast<unsigned>(g.size.z);
            if (j < g.size.y)
                work(tile{static_cast<index>(k), static_cast<index>(j), static_cast<index>(i),
                          static_cast<index>(min(by.planes, z - k)),
                          static_cast<index>(min(by.cells, x - i))},
                     threadIdx.x);
        },
        stream);
}

}  // namespace watari::gpu

#include "packs_gpu.hpp"

namespace watari::gpu {

/// Copies the values that this lane has just written, in `Planes` cells above each other at an
/// edge, to the halo. A periodic grid has two cells or more along x and y.
template <unsigned Planes, class Real>
__device__ void copy_around(const les::grid& g, const cell& c, index plane,
                            const written<Real>& to) {
    const auto x = static_cast<index>(g.size.x), y = static_cast<index>(g.size.y);
    const index along_x = !g.around_x ? 0 : c.i == 0 ? x : c.i + 1 == x ? -x : 0;
    const index rows = !g.around_y ? 0 : c.j == 0 ? y : c.j + 1 == y ? -y : 0;
    const index along_y = rows * static_cast<index>(g.row());
    if (along_x == 0 && along_y == 0) return;
#pragma unroll 1
    for (unsigned n = 0; n < to.count; ++n) {
        Real* const own = to.array[n] + c.at;
        Real values[Planes];
#pragma unroll
        for (unsigned k = 0; k < Planes; ++k) values[k] = own[static_cast<index>(k) * plane];
#pragma unroll
        for (unsigned k = 0; k < Planes; ++k) {
            Real* const here = own + static_cast<index>(k) * plane;
            if (along_x != 0) here[along_x] = values[k];
            if (along_y != 0) here[along_y] = values[k];
            if (along_x != 0 && along_y != 0) here[along_x + along_y] = values[k];
        }
    }
}

/// Computes the values of `Planes` cells above each other, then calls finish(n, put of the n-th
/// cell).
template <bool Walls, unsigned Planes, class Body, class Above, class Finish>
__device__ __forceinline__ void compute_column(const Body& body, const Above& above,
                                               const Finish& finish) {
    decltype(body.template value<Walls>(above(0))) values[Planes];
#pragma unroll
    for (unsigned n = 0; n < Planes; ++n) values[n] = body.template value<Walls>(above(n));
#pragma unroll
    for (unsigned n = 0; n < Planes; ++n) finish(n, [&] { return body.put(above(n), values[n]); });
}

/// Runs the body on `Planes` cells above each other, and calls finish(n, visit of the n-th cell). A
/// body in two steps that computes little always takes the path with walls: its loads would wait
/// for a test of the flags.
template <unsigned Planes, class Body, class Finish>
__device__ __forceinline__ void visit_column(const Body& body, const cell& c, index plane,
                                             const Finish& finish) {
    const auto above = [&](unsigned n) {
        const auto up = static_cast<index>(n);
        return cell{c.k + up, c.j, c.i, c.at + up * plane};
    };
    if constexpr (!has_two_paths<Body>) {
        if constexpr (in_two_steps<Body>) {
            compute_column<true, Planes>(body, above, finish);
        } else {
#pragma unroll 1
            for (unsigned n = 0; n < Planes; ++n)
                finish(n, [&] { return body.template operator()<true>(above(n)); });
        }
    } else {
        std::uint8_t all = les::flag::inner;
#pragma unroll
        for (unsigned n = 0; n < Planes; ++n) all &= body.flags[above(n).at];
        if (all != 0) {
            compute_column<false, Planes>(body, above, finish);
        } else {
#pragma unroll 1
            for (unsigned n = 0; n < Planes; ++n) {
                const cell own = above(n);
                const Body here = in_plane(body, static_cast<std::size_t>(own.k));
                finish(n, [&] { return visit_cell<true>(here, own); });
            }
        }
    }
}

/// Returns the elements from a plane to the next. If the body has its own number, the loop uses it:
/// the compiler then sees that a neighbour's address is that of a cell above, and loads the number
/// once.
template <class Body>
__device__ __forceinline__ index plane_of(const Body& body, const les::grid& g) {
    if constexpr (requires { body.plane(); })
        return body.plane();
    else
        return static_cast<index>(g.plane());
}

/// Visits a lane's cells of a tile, in `Planes` planes from k on.
template <unsigned Planes, class Body, class Real, class Finish>
__device__ __forceinline__ void visit_planes(const les::grid& g, const Body& body,
                                             const written<Real>& to, const tile& t, index k,
                                             unsigned lane, const Finish& finish) {
    const index plane = plane_of(body, g), last = t.i + t.cells;
    for (index i = t.i + static_cast<index>(lane); i < last; i += row_lanes) {
        const cell c{k, t.j, i, static_cast<index>(g.at(k, t.j, i))};
        visit_column<Planes>(body, c, plane, finish);
        copy_around<Planes>(g, c, plane, to);
    }
}

template <class Body, class Real>
__device__ __forceinline__ void visit_tile(const les::grid& g, const Body& given,
                                           const written<Real>& to, const tile& t, unsigned lane) {
    const Body body = with_constants(given);
    const auto finish = [](unsigned, const auto& visit) { visit(); };
    constexpr unsigned at_once = has_two_paths<Body> ? 2 : planes_at_once;
    index k = t.k;
    const index last = t.k + t.planes;
    for (; k + static_cast<index>(at_once) <= last; k += at_once)
        visit_planes<at_once>(g, body, to, t, k, lane, finish);
    for (; k < last; ++k) visit_planes<1>(g, body, to, t, k, lane, finish);
}

template <class Body, class Real>
void for_each_cell(const les::grid& g, Body body, written<Real> to, stream_t stream) {
    static_assert(loop_body<Body>);
    if constexpr (in_packs<Body, Real>)
        if (fits_packs(g, body)) return for_each_pack(g, body, stream);
    if constexpr (in_blocks<Body, Real>)
        if (g.size == body.coarse.size && fits_packs(body.fine, body))
            return for_each_block(body, stream);
    for_each_tile<blocks_at_once<Body, Real>>(
        g, tiling_of(g),
        [=] __device__(const tile& t, unsigned lane) { visit_tile(g, body, to, t, lane); }, stream);
}

/// partials[(k * ny + j) * pieces + p] = sum of body(cell) over the p-th piece of row (k, j), by
/// the tree of the CPU: each lane adds up its cells, then halves are added onto halves.
template <class Body, class Real>
void sum_cells(const les::grid& g, Body given, double* partials, written<Real> to,
               stream_t stream) {
    static_assert(loop_body<Body>);
    const auto piece = static_cast<unsigned>(les::piece_of(g.size.x));
    if constexpr (in_packs<Body, Real>)
        if (piece <= row_lanes * pack_cells && fits_packs(g, given))
            return sum_packs(g, given, partials, stream);
    const std::size_t pieces = g.size.x / piece;
    const tiling by{piece, tiling_of(g).planes};
    for_each_tile<blocks_at_once<Body, Real>>(
        g, by,
        [=] __device__(const tile& t, unsigned lane) {
            const Body body = with_constants(given);
            const unsigned number = static_cast<unsigned>(t.i) / piece;
            const auto add = [&]<unsigned Planes>(std::integral_constant<unsigned, Planes>,
                                                  index k) {
                double own[Planes]{};
                visit_planes<Planes>(g, body, to, t, k, lane,
                                     [&](unsigned n, const auto& visit) { own[n] += visit(); });
#pragma unroll
                for (unsigned n = 0; n < Planes; ++n) {
                    for (unsigned half = row_lanes / 2; half > 0; half /= 2)
                        own[n] += __shfl_down_sync(~0u, own[n], half);
                    if (lane == 0) partials[((k + n) * g.size.y + t.j) * pieces + number] = own[n];
                }
            };
            index k = t.k;
            const index last = t.k + t.planes;
            for (; k + static_cast<index>(planes_at_once) <= last; k += planes_at_once)
                add(std::integral_constant<unsigned, planes_at_once>{}, k);
            for (; k < last; ++k) add(std::integral_constant<unsigned, 1>{}, k);
        },
        stream);
}

}  // namespace watari::gpu
