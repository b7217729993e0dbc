/// The loops of the GPU: a warp has a row. Part of loops.hpp, which includes it.
#pragma once

#include "watari/cases/les/grid/loops.hpp"

#include <cstddef>

namespace watari::gpu {

inline constexpr unsigned warps_of_a_block = 4;

/// work(k, j, lane) for each row, by all lanes of a warp.
template <class Work>
void for_each_grid_row(const les::grid& g, Work work, stream_t stream) {
    const auto rows = static_cast<unsigned>(g.rows()), across = static_cast<unsigned>(g.size.y);
    launch<warps_of_a_block * row_lanes, 4>(
        (rows + warps_of_a_block - 1) / warps_of_a_block, dim3(row_lanes, warps_of_a_block),
        [=] __device__() {
            const unsigned row = blockIdx.x * warps_of_a_block + threadIdx.y;
            if (row < rows) work(row / across, row % across, threadIdx.x);
        },
        stream);
}

/// Cells of a lane whose loads are under way at once: memory is far, and a warp has few.
inline constexpr unsigned cells_at_once = 4;

/// Work on the cells of a row from `first` to `last` that are a lane's; `finish` takes what each
/// returns, in their order. A body in two steps never asks whether there are walls: its loads would
/// wait for the answer.
template <class Body, class Finish>
__device__ void visit_lane(const Body& body, cell at, index last, const Finish& finish) {
    constexpr index step = row_lanes;
    const auto moved = [&](index n) { return cell{at.k, at.j, at.i + n, at.at + n}; };
    if constexpr (in_two_steps<Body>) {
        using value = decltype(body.template value<true>(at));
        for (; at.i + static_cast<index>(cells_at_once - 1) * step < last;
             at = moved(cells_at_once * step)) {
            value values[cells_at_once];
#pragma unroll
            for (unsigned n = 0; n < cells_at_once; ++n)
                values[n] = body.template value<true>(moved(static_cast<index>(n) * step));
#pragma unroll
            for (unsigned n = 0; n < cells_at_once; ++n)
                finish([&] { return body.put(moved(static_cast<index>(n) * step), values[n]); });
        }
    }
    for (; at.i < last; at = moved(step))
        finish([&] {
            if constexpr (in_two_steps<Body>)
                return visit_cell<true>(body, at);
            else
                return body.flags == nullptr || (body.flags[at.at] & les::flag::inner)
                           ? visit_cell<false>(body, at)
                           : visit_cell<true>(body, at);
        });
}

/// A row of for_each_cell, by the lanes of a warp.
template <class Body, class Real>
__device__ void visit_row(const les::grid& g, const Body& body, const written<Real>& to, unsigned k,
                          unsigned j, unsigned lane) {
    const index own = static_cast<index>(lane), first = static_cast<index>(g.at(k, j, 0));
    visit_lane(in_plane(body, k),
               cell{static_cast<index>(k), static_cast<index>(j), own, first + own},
               static_cast<index>(g.size.x), [](const auto& visit) { visit(); });
    if (!g.around) return;
    __syncwarp();
    copy_around(g, k, j, to, lane, row_lanes);
}

template <class Body, class Real>
void for_each_cell(const les::grid& g, Body body, written<Real> to, stream_t stream) {
    for_each_grid_row(
        g,
        [=] __device__(unsigned k, unsigned j, unsigned lane) {
            visit_row(g, body, to, k, j, lane);
        },
        stream);
}

/// The loops of small grids, one after the other, by one block: a warp has a row.
struct block_loops {
    template <class Body, class Real>
    __device__ void operator()(const les::grid& g, const Body& body,
                               const written<Real>& to) const {
        const auto rows = static_cast<unsigned>(g.rows()), across = static_cast<unsigned>(g.size.y);
        for (unsigned row = threadIdx.y; row < rows; row += blockDim.y)
            visit_row(g, body, to, row / across, row % across, threadIdx.x);
        __syncthreads();  // the next loop reads what this one wrote
    }
};

/// work(loops), by the threads of one block.
template <class Work>
void in_one_block(const Work& work, stream_t stream) {
    constexpr unsigned warps = 16;
    launch<warps * row_lanes, 1>(
        1, dim3(row_lanes, warps), [=] __device__() { work(block_loops{}); }, stream);
}

template <class Body, class Real>
void sum_cells(const les::grid& g, Body body, double* partials, written<Real> to, stream_t stream) {
    const std::size_t piece = les::piece_of(g.size.x), pieces = g.size.x / piece;
    for_each_grid_row(
        g,
        [=] __device__(unsigned k, unsigned j, unsigned lane) {
            const index first = static_cast<index>(g.at(k, j, 0));
            for (std::size_t p = 0; p < pieces; ++p) {
                double own = 0;
                const index i = static_cast<index>(p * piece + lane);
                visit_lane(body, cell{static_cast<index>(k), static_cast<index>(j), i, first + i},
                           static_cast<index>((p + 1) * piece),
                           [&](const auto& visit) { own += visit(); });
                for (unsigned half = row_lanes / 2; half > 0; half /= 2)
                    own += __shfl_down_sync(~0u, own, half);
                if (lane == 0) partials[(k * g.size.y + j) * pieces + p] = own;
            }
            if (!g.around) return;
            __syncwarp();
            copy_around(g, k, j, to, lane, row_lanes);
        },
        stream);
}

}  // namespace watari::gpu
