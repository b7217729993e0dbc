/// Loops over packs of a GPU (pack_reads_gpu.hpp). Part of rows_gpu.hpp, which includes it.
///
/// A warp goes up through the planes of its tile and keeps the numbers that the next two planes
/// need.
///
/// A body has `reads<Lane>` and write(to, values). begin(body, place) and next(body, place) of the
/// reads load; value<Walls>(body, p, n, c) returns the result in the n-th cell of plane p. Only
/// numbers of 4 bytes.
#pragma once

#include "loops.hpp"
#include "pack_reads_gpu.hpp"

#include <cstdint>
#include <type_traits>

namespace watari::gpu {

template <class Body, class Real>
concept in_packs = std::is_same_v<Real, float> && requires {
    typename Body::template reads<pack_lane>;
};

/// Whether a grid's rows are whole packs, at least two lanes have packs, and planes come in pairs.
template <class Body>
bool fits_packs(const les::grid& g, const Body& body) {
    if constexpr (requires { body.packs(); })
        if (!body.packs()) return false;
    const std::size_t last = g.size.x % (row_lanes * pack_cells);
    return g.size.x % pack_cells == 0 && last != pack_cells && g.size.z % pack_planes == 0;
}

inline constexpr unsigned most_blocks = 3;  ///< on a multiprocessor: 80 registers a thread
template <class Body>
inline constexpr unsigned pack_blocks = has_many_registers<Body> ? 2 : most_blocks;

inline constexpr unsigned most_planes = 8;  ///< of a tile

/// Returns tiles with the most planes that leave several tiles for each block that the GPU runs at
/// once.
inline tiling pack_tiling(const les::grid& g, unsigned cells) {
    for (unsigned planes : {most_planes, 4u}) {
        const tiling by{cells, planes};
        const dim3 n = by.of(g);
        if (n.x * n.y * n.z >= 4 * 132 * most_blocks) return by;
    }
    return {cells, 2};
}

/// Computes the values that neighbouring cells share once, if the reads have prepare().
template <bool Walls, class Reads, class Body>
__device__ __forceinline__ void prepare(Reads& reads, const Body& body, const place& at) {
    if constexpr (requires { reads.template prepare<Walls>(body, at); })
        reads.template prepare<Walls>(body, at);
}

/// Calls finish(place, p, writer of plane p, whether the lane has cells, results of its four cells)
/// for each plane p of a lane's packs.
template <class Body, class Finish>
__device__ __forceinline__ void visit_packs(const les::grid& g, const Body& body, const tile& t,
                                            unsigned lane, const Finish& finish) {
    const index x = static_cast<index>(g.size.x), y = static_cast<index>(g.size.y);
    const index last = t.i + t.cells, given = t.i + pack_cells * static_cast<index>(lane);
    const bool mine = given < last;
    const index i = mine ? given : last - pack_cells;
    place where{{t.k, t.j, i, static_cast<index>(g.at(t.k, t.j, i))},
                static_cast<index>(g.row()),
                static_cast<index>(g.plane()),
                lane == 0,
                i + pack_cells == last};
    const index rows = !g.around_y ? 0 : t.j == 0 ? y : t.j + 1 == y ? -y : 0;
    const index along_x = g.around_x && i == 0 ? x : 0,
                back_x = g.around_x && i + pack_cells == x ? pack_cells - 1 - x : 0;
    typename Body::template reads<pack_lane> reads;
    reads.begin(body, where);
    using result = decltype(reads.template value<true>(body, 0u, 0u, where.c));
    const auto compute = [&]<bool Walls>(std::bool_constant<Walls>, result(&values)[2][4]) {
        prepare<Walls>(reads, body, where);
#pragma unroll
        for (unsigned p = 0; p < 2; ++p)
#pragma unroll
            for (unsigned n = 0; n < 4; ++n) {
                const cell c{
                    where.c.k + static_cast<index>(p), where.c.j, where.c.i + static_cast<index>(n),
                    where.c.at + static_cast<index>(p) * where.plane + static_cast<index>(n)};
                values[p][n] = reads.template value<Walls>(body, p, n, c);
            }
    };
#pragma unroll 1
    for (const index top = t.k + t.planes; where.c.k < top;
         where.c.k += pack_planes, where.c.at += pack_planes * where.plane) {
        reads.next(body, where);
        result values[2][4];
        if (reads.inner())
            compute(std::false_type{}, values);
        else
            compute(std::true_type{}, values);
#pragma unroll
        for (unsigned p = 0; p < 2; ++p) {
            const pack_writer to{where.c.at + static_cast<index>(p) * where.plane, along_x, back_x,
                                 rows * where.row};
            finish(where, p, to, mine, values[p]);
        }
    }
}

template <class Body>
void for_each_pack(const les::grid& g, const Body& given, stream_t stream) {
    for_each_tile<pack_blocks<Body>>(
        g, pack_tiling(g, row_lanes * pack_cells),
        [=] __device__(const tile& t, unsigned lane) {
            const Body body = with_constants(given);
            visit_packs(
                g, body, t, lane,
                [&](const place&, unsigned, const pack_writer& to, bool mine, const auto& values) {
                    if (mine) body.write(to, values);
                });
        },
        stream);
}

/// sum_cells by packs. Shared memory holds the products in the order in which lanes add them: a row
/// has the n-th cells of all packs, and the rows begin in different banks. Four lanes per plane add
/// halves onto halves, once per tile.
template <class Body>
void sum_packs(const les::grid& g, const Body& given, double* partials, stream_t stream) {
    const auto piece = static_cast<unsigned>(les::piece_of(g.size.x));
    const std::size_t pieces = g.size.x / piece;
    for_each_tile<most_blocks>(
        g, pack_tiling(g, piece),
        [=] __device__(const tile& t, unsigned lane) {
            constexpr unsigned room = row_lanes + 4, most = row_lanes / 4;
            static_assert(most_planes <= most);
            __shared__ double products[warps_of_a_block][pack_cells * room];
            __shared__ double sums[warps_of_a_block][most * room];
            double *const own = products[threadIdx.y], *const lanes = sums[threadIdx.y];
            const Body body = with_constants(given);
            visit_packs(g, body, t, lane,
                        [&](const place& where, unsigned p, const pack_writer& to, bool mine,
                            const auto& values) {
                            if (mine) {
                                double each[4];
                                body.write(to, values, each);
#pragma unroll
                                for (unsigned n = 0; n < 4; ++n) own[n * room + lane] = each[n];
                            }
                            __syncwarp();
                            double sum = 0;
#pragma unroll
                            for (unsigned n = 0; n < pack_cells; ++n)
                                if (lane + n * row_lanes < piece)
                                    sum += own[lane % 4 * room + lane / 4 + n * (row_lanes / 4)];
                            lanes[static_cast<unsigned>(where.c.k - t.k + p) * room + lane] = sum;
                            __syncwarp();
                        });
            const unsigned plane = lane / 4;
            double sum = 0;
            if (plane < static_cast<unsigned>(t.planes)) {
                const double* const s = lanes + plane * room + lane % 4;
                sum = ((s[0] + s[16]) + (s[8] + s[24])) + ((s[4] + s[20]) + (s[12] + s[28]));
            }
            for (unsigned half : {2u, 1u}) sum += __shfl_down_sync(~0u, sum, half);
            if (lane % 4 == 0 && plane < static_cast<unsigned>(t.planes))
                partials[((static_cast<unsigned>(t.k) + plane) * g.size.y +
                          static_cast<unsigned>(t.j)) *
                             pieces +
                         static_cast<unsigned>(t.i) / piece] = sum;
        },
        stream);
}

/// A body whose lane takes two rows and two planes of packs for two cells of a coarser grid.
template <class Body, class Real>
concept in_blocks = std::is_same_v<Real, float> && requires {
    typename Body::template blocks<pack_lane>;
};

template <class Body>
void for_each_block(const Body& body, stream_t stream) {
    constexpr unsigned cells = row_lanes * pack_cells / 2;
    const tiling large{cells, 4}, small{cells, 1};
    const dim3 n = large.of(body.coarse);
    for_each_tile<2>(
        body.coarse, n.x * n.y * n.z >= 4 * 132 ? large : small,
        [=] __device__(const tile& t, unsigned lane) {
            const les::grid &fine = body.fine, &coarse = body.coarse;
            const index x = static_cast<index>(coarse.size.x),
                        y = static_cast<index>(coarse.size.y);
            const index last = t.i + t.cells, given = t.i + 2 * static_cast<index>(lane);
            const bool mine = given < last;
            const index i = mine ? given : last - 2;
            const index row = static_cast<index>(fine.row()),
                        plane = static_cast<index>(fine.plane());
            place at[2];
            for (index r = 0; r < 2; ++r)
                at[r] = {{2 * t.k, 2 * t.j + r, 2 * i,
                          static_cast<index>(fine.at(2 * t.k, 2 * t.j + r, 2 * i))},
                         row,
                         plane,
                         lane == 0,
                         i + 2 == last};
            typename Body::template blocks<pack_lane> reads;
            reads.begin(body, at);
            index to = static_cast<index>(coarse.at(t.k, t.j, i));
            const index rows = !coarse.around_y ? 0 : t.j == 0 ? y : t.j + 1 == y ? -y : 0;
            const index along_y = rows * static_cast<index>(coarse.row());
#pragma unroll 1
            for (index k = 0; k < t.planes; ++k) {
                reads.next(body, at);
                float2 v;
                if (reads.inner())
                    v.x = reads.template value<false>(body, 0, at[0].c),
                    v.y = reads.template value<false>(body, 2, at[0].c);
                else
                    v.x = reads.template value<true>(body, 0, at[0].c),
                    v.y = reads.template value<true>(body, 2, at[0].c);
                if (mine) {
                    const auto write = [&](float* own) {
                        *reinterpret_cast<float2*>(own) = v;
                        if (coarse.around_x && i == 0) own[x] = v.x;
                        if (coarse.around_x && i + 2 == x) own[1 - x] = v.y;
                    };
                    write(body.to + to);
                    if (along_y != 0) write(body.to + to + along_y);
                }
                for (place& each : at) each.c.k += 2, each.c.at += 2 * plane;
                to += static_cast<index>(coarse.plane());
            }
        },
        stream);
}

}  // namespace watari::gpu
