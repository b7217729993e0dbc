/// Two sweeps from zero on the finest level, and a last step, in one pass of a GPU: values between
/// the steps never leave a block of threads. For blocks_gpu.hpp.
///
///     x0 = a sweep from zero, x1 = a sweep from x0, then the step of `Finish` from x1
///
/// A block has 128 cells of eight rows and goes up through the planes. A warp has a row, a lane
/// four cells of the row. Neighbours above and below are in a lane's registers, those along x come
/// from adjacent lanes, those along y from shared memory. Two more warps sweep the rows beside, as
/// the neighbouring block does too: no block waits for another. One more warp has x0 in the rows
/// beside these, and the last warp sweeps the cell before and the cell after each row.
///
/// At plane k a warp computes x0 of plane k + 1, x1 of k, and finishes k - 1. It reads the values
/// of other warps one plane later, from the other of two places: one barrier per plane.
#pragma once

#include "begun_gpu.hpp"

#include <cstdint>

namespace watari::gpu {

inline constexpr unsigned own_rows = 8, swept_rows = own_rows + 2, begun_rows = swept_rows + 2;
inline constexpr unsigned pass_cells = row_lanes * pack_cells;  ///< of a row
inline constexpr unsigned pass_warps = swept_rows + 2;
inline constexpr unsigned half_lanes = row_lanes / 2;  ///< for the cells at an end of all rows
static_assert(begun_rows <= half_lanes);

/// The values that warps of a block share, of even and of odd planes.
struct pass_memory {
    pack<float> begun[2][begun_rows][row_lanes], swept[2][swept_rows][row_lanes];
    float begun_ends[2][2][half_lanes], swept_ends[2][2][half_lanes];  ///< of low and high x
};

/// The planes of a block, and its first row and cell.
struct pass_tile {
    offset k, planes, j, i;
};

/// Returns the index n of a periodic axis, within 0 to size - 1.
__device__ __forceinline__ offset around(offset n, std::size_t size) {
    const auto all = static_cast<offset>(size);
    return n < 0 ? n + all : n >= all ? n - all : n;
}

/// `Finish` has a type `lane`, begin(lane, tile, row, number), swept(lane, x1, k), then plane(lane,
/// operator, x1 and its neighbours, codes, r, k), and end(lane).
template <class Finish>
struct pass {
    les::grid grid;
    begun begin;
    Finish finish;
    float weight;  ///< of the sweep

    /// A lane of a warp with a row.
    struct row_lane {
        offset at;                 ///< in plane 0
        pack<float> x0[3], x1[3];  ///< x0 of planes k - 1 to k + 1, x1 of k - 2 to k
        begun::ahead ahead;
        pack<float> r[3];  ///< of the plane below, this one, the one above
        pack<std::uint8_t> codes[3];
        typename Finish::lane finish;
    };
    __device__ __forceinline__ offset last() const { return static_cast<offset>(grid.size.z); }
    /// Returns k, or the nearest plane in memory, whose values are then not used.
    __device__ __forceinline__ offset in_memory(offset k) const {
        return k < -1 ? -1 : k > last() ? last() : k;
    }
    __device__ __forceinline__ bool air(offset k) const { return k >= 0 && k < last(); }
    __device__ __forceinline__ offset place_of(offset j, offset i) const {
        const offset row = grid.around_y ? around(j, grid.size.y) : j;
        return static_cast<offset>(
            grid.at(0, static_cast<std::size_t>(row), static_cast<std::size_t>(i)));
    }

    __device__ __forceinline__ void start(row_lane& l, pass_memory& memory, const pass_tile& t,
                                          unsigned row, unsigned lane, float free) const {
        l.at = place_of(t.j - 1 + static_cast<offset>(row),
                        t.i + pack_cells * static_cast<offset>(lane));
        const offset k = t.k - 1;
        const auto below = begin.load(l.at, in_memory(k - 1)), own = begin.load(l.at, k);
        l.ahead = begin.load(l.at, k + 1);
        l.x0[0] = begin.value(below, free);
        l.x0[1] = begin.value(own, free);
        l.r[1] = own.r, l.codes[1] = own.codes;
        l.r[0] = {}, l.codes[0] = {};
        l.x1[0] = l.x1[1] = {};
        memory.begun[k & 1][row + 1][lane] = l.x0[1];
    }
    /// Computes x0 of plane k + 1 and x1 of k, and finishes k - 1.
    __device__ __forceinline__ void step(row_lane& l, pass_memory& memory, const pass_tile& t,
                                         unsigned row, unsigned lane, offset k, float free) const {
        const unsigned now = k & 1, other = now ^ 1;
        l.x0[2] = begin.value(l.ahead, free);
        l.r[2] = l.ahead.r, l.codes[2] = l.ahead.codes;
        l.ahead = begin.load(l.at, in_memory(k + 2));
        memory.begun[other][row + 1][lane] = l.x0[2];
        if (air(k)) {
            const pack<float> low = memory.begun[now][row][lane],
                              high = memory.begun[now][row + 2][lane];
            const auto& ends = memory.begun_ends[now];
            const pack_star x{l.x0[0],
                              l.x0[1],
                              l.x0[2],
                              low,
                              high,
                              left_of(l.x0[1], lane, ends[0][row + 1]),
                              right_of(l.x0[1], lane, ends[1][row + 1])};
            l.x1[2] = sweep_of(begin.a, x, l.codes[1], l.r[1], weight, free);
        } else {
            l.x1[2] = {};
        }
        memory.swept[now][row][lane] = l.x1[2];
        const bool own = row >= 1 && row <= own_rows;
        if (own && k >= t.k && k < t.k + t.planes) finish.swept(l.finish, l.x1[2], k);
        if (own && k > t.k) {
            const pack<float> low = memory.swept[other][row - 1][lane],
                              high = memory.swept[other][row + 1][lane];
            const auto& ends = memory.swept_ends[other];
            const pack_star x{l.x1[0],
                              l.x1[1],
                              l.x1[2],
                              low,
                              high,
                              left_of(l.x1[1], lane, ends[0][row]),
                              right_of(l.x1[1], lane, ends[1][row])};
            finish.plane(l.finish, begin.a, x, l.codes[0], l.r[0], k - 1);
        }
#pragma unroll
        for (unsigned n = 0; n < 2; ++n) {
            l.x0[n] = l.x0[n + 1], l.x1[n] = l.x1[n + 1];
            l.r[n] = l.r[n + 1], l.codes[n] = l.codes[n + 1];
        }
    }
    __device__ __forceinline__ static float left_of(const pack<float>& own, unsigned lane,
                                                    float end) {
        const float value = __shfl_up_sync(~0u, own.last(), 1);
        return lane == 0 ? end : value;
    }
    __device__ __forceinline__ static float right_of(const pack<float>& own, unsigned lane,
                                                     float end) {
        const float value = __shfl_down_sync(~0u, own.first(), 1);
        return lane == row_lanes - 1 ? end : value;
    }

    /// A lane of the warp that computes x0 of the first row and of the last row.
    struct edge_lane {
        offset at[2];
        begun::ahead ahead[2];
    };
    __device__ __forceinline__ static pack<float>& edge_of(pass_memory& memory, offset k,
                                                           unsigned n, unsigned lane) {
        return memory.begun[k & 1][n == 0 ? 0 : begun_rows - 1][lane];
    }
    __device__ __forceinline__ void start(edge_lane& l, pass_memory& memory, const pass_tile& t,
                                          unsigned lane, float free) const {
        const offset i = t.i + pack_cells * static_cast<offset>(lane), k = t.k - 1;
#pragma unroll
        for (unsigned n = 0; n < 2; ++n) {
            l.at[n] = place_of(t.j - 2 + (n == 0 ? 0 : static_cast<offset>(begun_rows) - 1), i);
            edge_of(memory, k, n, lane) = begin.value(begin.load(l.at[n], k), free);
            l.ahead[n] = begin.load(l.at[n], k + 1);
        }
    }
    __device__ __forceinline__ void step(edge_lane& l, pass_memory& memory, unsigned lane, offset k,
                                         float free) const {
#pragma unroll
        for (unsigned n = 0; n < 2; ++n) {
            edge_of(memory, k + 1, n, lane) = begin.value(l.ahead[n], free);
            l.ahead[n] = begin.load(l.at[n], in_memory(k + 2));
        }
    }

    /// A lane of the warp with both ends of all rows: it has two cells of a row beside the tile. It
    /// sweeps the inner cell, beside the tile itself.
    struct end_lane {
        offset at;
        begun::pair_ahead ahead;
        float x0[3], outer[2];  ///< outer: of this plane, the one above
        float r;
        std::uint8_t own;
        unsigned side, row;
        template <class T>
        __device__ __forceinline__ T inner_of(const T (&of)[2]) const {
            return side == 0 ? of[1] : of[0];
        }
        template <class T>
        __device__ __forceinline__ T outer_of(const T (&of)[2]) const {
            return side == 0 ? of[0] : of[1];
        }
    };
    __device__ __forceinline__ void start(end_lane& l, pass_memory& memory, const pass_tile& t,
                                          unsigned lane, float) const {
        l.side = lane / half_lanes, l.row = lane % half_lanes;
        const unsigned row = l.row < begun_rows ? l.row : begun_rows - 1;  // some lanes have none
        const offset k = t.k - 1, beside = l.side == 0 ? -2 : static_cast<offset>(pass_cells);
        l.at = place_of(t.j - 2 + static_cast<offset>(row), around(t.i + beside, grid.size.x));
        const auto own = begin.load_pair(l.at, k);
        const pair_of<float> below = begin.value(begin.load_pair(l.at, in_memory(k - 1))),
                             here = begin.value(own);
        l.ahead = begin.load_pair(l.at, k + 1);
        l.x0[0] = l.inner_of(below.of), l.x0[1] = l.inner_of(here.of);
        l.outer[0] = l.outer_of(here.of);
        l.r = l.inner_of(own.r.of), l.own = l.inner_of(own.codes);
        memory.begun_ends[k & 1][l.side][l.row] = l.x0[1];
    }
    __device__ __forceinline__ void step(end_lane& l, pass_memory& memory, unsigned, offset k,
                                         float) const {
        const unsigned now = k & 1, other = now ^ 1;
        const pair_of<float> above = begin.value(l.ahead);
        const float r = l.inner_of(l.ahead.r.of);
        const std::uint8_t own = l.inner_of(l.ahead.codes);
        l.x0[2] = l.inner_of(above.of);
        l.outer[1] = l.outer_of(above.of);
        l.ahead = begin.load_pair(l.at, in_memory(k + 2));
        memory.begun_ends[other][l.side][l.row] = l.x0[2];
        const float low = __shfl_up_sync(~0u, l.x0[1], 1), high = __shfl_down_sync(~0u, l.x0[1], 1);
        if (l.row >= 1 && l.row <= swept_rows) {
            float swept = 0;
            if (air(k)) {
                const pack<float>* const row = memory.begun[now][l.row];
                const float inner = l.side == 0 ? row[0].first() : row[row_lanes - 1].last();
                const in_cell x{l.x0[1],
                                l.side == 0 ? l.outer[0] : inner,
                                l.side == 0 ? inner : l.outer[0],
                                low,
                                high,
                                l.x0[0],
                                l.x0[2]};
                const float rest = l.r - cell_of(begin.a, l.own).template apply<true>(x, cell{});
                swept = l.x0[1] + weight * (begin.a.template inverse_by<true>(l.own) * rest);
            }
            memory.swept_ends[now][l.side][l.row - 1] = swept;
        }
        l.x0[0] = l.x0[1], l.x0[1] = l.x0[2];
        l.outer[0] = l.outer[1];
        l.r = r, l.own = own;
    }

    /// Runs the pass on a block's tile.
    __device__ __forceinline__ void operator()(const pass_tile& t, unsigned warp,
                                               unsigned lane) const {
        __shared__ pass_memory memory;
        const float free = free_of(begin.a);
        const auto go_up = [&](auto& l, const auto& step, const auto& end) {
            __syncthreads();
            for (offset k = t.k - 1; k <= t.k + t.planes; ++k) {
                step(l, k);
                __syncthreads();
            }
            end(l);
        };
        const auto help = [&](auto&& l) {
            start(l, memory, t, lane, free);
            go_up(
                l, [&](auto& own, offset k) { step(own, memory, lane, k, free); },
                [](const auto&) {});
        };
        if (warp == swept_rows) {
            help(edge_lane{});
        } else if (warp > swept_rows) {
            help(end_lane{});
        } else {
            row_lane l;
            start(l, memory, t, warp, lane, free);
            finish.begin(l.finish, t, warp, lane);
            go_up(
                l, [&](row_lane& own, offset k) { step(own, memory, t, warp, lane, k, free); },
                [&](row_lane& own) {
                    if (warp >= 1 && warp <= own_rows) finish.end(own.finish);
                });
        }
    }
};

}  // namespace watari::gpu
