// A group of leaves by two kernels:
//
//     t = V x          8 threads a row of V, four rows a warp, whichever leaves they are of
//     y += U t, D x    a block takes a tile of 32 rows; each of its warps what some leaves have
//     there
//
// In a tile the sums of 64 leaves (of several systems fewer) wait in shared memory until one warp
// adds them to y in the order of the leaves, while the others make the next 64. So no block waits
// for another, whatever the sizes of leaves, and sums of leaves take no memory.
//
// Bytes: those of the elements, once; 16 a row of V and 24 a leaf in a tile for the lists. x and t
// come from the caches. Time: that of the bytes, as long as 25 KB a multiprocessor are under way:
// 32 warps that wait for 1 to 4 KB each. A row of V is columns / 128 round trips to memory, and the
// longest rows start first; a tile has one for 8 of its leaves.
#include "watari/hmatrix/product/kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/hmatrix/product/lanes.hpp"

namespace watari::gpu {

namespace hmatrix_parts {

using hmatrix::factor_row;
using hmatrix::group_view;
using hmatrix::tile_piece;

constexpr unsigned warp_lanes = row_lanes, every = ~0u;
constexpr unsigned block_warps = 8, block_threads = block_warps * warp_lanes;
/// Of a multiprocessor: 64 registers a thread, or 128 for the sums of several systems.
template <unsigned Systems>
constexpr unsigned row_blocks_at_once = Systems > 2 ? 2 : 4;
template <unsigned Systems>
constexpr unsigned tile_blocks_at_once = Systems > 2 ? 2 : 4;

/// Rows of V that a warp takes at once, and how often it does.
constexpr unsigned rows_at_once = warp_lanes / row_sum, turns = 4;

/// Elements of t: those of turn k of all warps lie side by side, so that all have long rows first.
template <class Element, unsigned Systems>
__device__ void project(const group_view& g, const std::byte* data, const double* x, double* t,
                        std::uint32_t warp, std::uint32_t warps) {
    const unsigned lane = threadIdx.x;
    const auto row_of = [&](std::uint32_t r) {
        return r < g.projection_count ? g.pass.rows[r] : factor_row{0, 0, 0};
    };
    std::uint32_t r = warp * rows_at_once + lane / row_sum;
    factor_row next = row_of(r);
    for (unsigned turn = 0; turn < turns; ++turn, r += warps * rows_at_once) {
        const factor_row own = next;
        if (turn + 1 < turns) next = row_of(r + warps * rows_at_once);
        double sum[Systems]{};
        add_lane<Systems>(reinterpret_cast<const Element*>(data + own.offset), x + own.column,
                          g.length, own.columns, lane % row_sum, sum);
        for (unsigned half = row_sum / 2; half > 0; half /= 2)
            for (unsigned s = 0; s < Systems; ++s) sum[s] += __shfl_xor_sync(every, sum[s], half);
        if (r < g.projection_count && lane % row_sum == 0)
            for (unsigned s = 0; s < Systems; ++s)
                t[s * std::size_t{g.projection_count} + r] = sum[s];
    }
}

/// Leaves whose sums wait at once, twice; their sums take 16 KiB.
template <unsigned Systems>
constexpr unsigned waiting = 64 / Systems;

/// Columns of a leaf that a warp reads at once.
template <unsigned Systems>
constexpr unsigned columns_at_once = Systems > 2 ? 4 : 16 / Systems;

/// The sums of a leaf over the rows of a tile, one a lane, by a warp: Sharers threads have a row,
/// and each has lanes of its sum.
template <class Element, unsigned Systems, unsigned Sharers>
__device__ void sum_piece(const tile_piece& own, const Element* a, const double* from,
                          std::size_t stride, double (&sum)[Systems]) {
    constexpr unsigned lanes = column_sum / Sharers, rows = warp_lanes / Sharers;
    constexpr unsigned columns = columns_at_once<Systems>, at_once = columns / Sharers;
    const unsigned row = threadIdx.x % rows, sharer = Sharers > 1 ? threadIdx.x / rows : 0;
    // a leaf has fewer than 2^32 elements
    std::uint32_t at = sharer * own.stride + row;
    double lane[lanes][Systems]{};
    for (std::uint32_t base = 0; base < own.width; base += columns) {
        const std::uint32_t left = own.width - base;
        // of the columns of this thread, as many as there are
        const int mine = row < own.rows ? static_cast<int>(left) - static_cast<int>(sharer) : 0;
        double by[Systems];  // of one column, for the others' threads
        for (unsigned s = 0; s < Systems; ++s)
            by[s] = threadIdx.x < left ? from[s * stride + base + threadIdx.x] : 0;
        Element there[at_once];
        for (unsigned u = 0; u < at_once; ++u, at += Sharers * own.stride)
            there[u] = static_cast<int>(Sharers * u) < mine ? a[at] : Element{0};
        for (unsigned s = 0; s < Systems; ++s)
            for (unsigned u = 0; u < at_once; ++u)
                lane[u % lanes][s] +=
                    static_cast<double>(there[u]) * __shfl_sync(every, by[s], sharer + Sharers * u);
    }
    for (unsigned s = 0; s < Systems; ++s) {
        if constexpr (lanes == 4)
            sum[s] = (lane[0][s] + lane[2][s]) + (lane[1][s] + lane[3][s]);
        else if constexpr (lanes == 2)
            sum[s] = lane[0][s] + lane[1][s];
        else
            sum[s] = lane[0][s] + __shfl_xor_sync(every, lane[0][s], 2 * rows);
        if constexpr (lanes < 4) sum[s] += __shfl_xor_sync(every, sum[s], rows);
    }
}

/// waiting[s][row] = what a leaf adds to a row of the tile, or zero.
template <class Element, unsigned Systems>
__device__ void sum_piece(const group_view& g, const tile_piece& own, const std::byte* data,
                          const double* x, const double* t, double (&sums)[Systems][warp_lanes]) {
    const auto* const a = reinterpret_cast<const Element*>(data + own.offset);
    const double* const from = (own.is_dense ? x : t) + own.from;
    const std::size_t stride = own.is_dense ? g.length : g.projection_count;
    double sum[Systems];
    if (own.rows > warp_lanes / 2)
        sum_piece<Element, Systems, 1>(own, a, from, stride, sum);
    else if (own.rows > warp_lanes / 4)
        sum_piece<Element, Systems, 2>(own, a, from, stride, sum);
    else
        sum_piece<Element, Systems, 4>(own, a, from, stride, sum);
    const unsigned lane = threadIdx.x, row = lane - own.first;
    for (unsigned s = 0; s < Systems; ++s) {
        const double there = __shfl_sync(every, sum[s], row % warp_lanes);
        sums[s][lane] = lane >= own.first && row < own.rows ? there : 0;
    }
}

template <unsigned Systems>
struct tile_memory {
    double sums[2][waiting<Systems>][Systems][warp_lanes];
    double y[Systems][warp_lanes];
    tile_piece pieces[2][waiting<Systems>];
};

/// y += the sums of all leaves over a tile, in their order, by a block.
template <class Element, unsigned Systems>
__device__ void add_tile(const group_view& g, const std::byte* data, const double* x,
                         const double* t, double* y, std::uint32_t number,
                         tile_memory<Systems>& shared) {
    constexpr unsigned most = waiting<Systems>;
    const hmatrix::tile own = g.tiles[number];
    const unsigned lane = threadIdx.x, warp = threadIdx.y, thread = warp * warp_lanes + lane;
    const auto pieces_from = [&](std::uint32_t first) {
        return first < own.last ? (own.last - first < most ? own.last - first : most) : 0;
    };
    const auto read_pieces = [&](std::uint32_t first, unsigned side) {
        if (thread < pieces_from(first))
            shared.pieces[side][thread] = g.pass.pieces[first + thread];
    };
    read_pieces(own.first, 0);
    if (lane < own.rows)
        for (unsigned s = warp; s < Systems; s += block_warps)
            shared.y[s][lane] = y[s * g.length + own.row + lane];
    __syncthreads();
    unsigned side = 0;
    for (std::uint32_t first = own.first; first < own.last; first += most, side ^= 1) {
        const unsigned count = pieces_from(first);
        read_pieces(first + most, side ^ 1);
        for (unsigned k = warp; k < count; k += block_warps)
            sum_piece<Element, Systems>(g, shared.pieces[side][k], data, x, t,
                                        shared.sums[side][k]);
        __syncthreads();
        // by one warp a system, while the others begin with the next leaves
        for (unsigned s = (warp + (first - own.first) / most) % block_warps; s < Systems;
             s += block_warps) {
            double sum = shared.y[s][lane];
            for (unsigned k = 0; k < count; ++k) sum += shared.sums[side][k][s][lane];
            shared.y[s][lane] = sum;
            if (first + count == own.last && lane < own.rows)
                y[s * g.length + own.row + lane] = sum;
        }
    }
}

template <class Element, unsigned Systems>
void multiply_run(const group_view& g, const std::byte* data, const double* x, double* t, double* y,
                  stream_t stream) {
    constexpr unsigned rows_of_block = block_warps * rows_at_once * turns;
    const std::uint32_t blocks = (g.projection_count + rows_of_block - 1) / rows_of_block;
    launch<block_threads, row_blocks_at_once<Systems>>(
        blocks, dim3(warp_lanes, block_warps),
        [=] __device__() {
            project<Element, Systems>(g, data, x, t, blockIdx.x * block_warps + threadIdx.y,
                                      blocks * block_warps);
        },
        stream);
    launch<block_threads, tile_blocks_at_once<Systems>>(
        g.tile_count, dim3(warp_lanes, block_warps),
        [=] __device__() {
            __shared__ tile_memory<Systems> shared;
            add_tile<Element, Systems>(g, data, x, t, y, blockIdx.x, shared);
        },
        stream);
}

template <class Element>
void multiply(const group_view& g, const std::byte* data, const double* x, double* scratch,
              double* y, std::size_t systems, stream_t stream) {
    hmatrix::for_each_run(systems, [&]<unsigned Systems>(std::size_t first) {
        multiply_run<Element, Systems>(g, data, x + first * g.length, scratch, y + first * g.length,
                                       stream);
    });
}

}  // namespace hmatrix_parts

}  // namespace watari::gpu

namespace watari::hmatrix {

template <class Element>
const product_kernels<Element> product_kernels<Element>::gpu{
    .multiply = gpu::hmatrix_parts::multiply<Element>};
template const product_kernels<float> product_kernels<float>::gpu;
template const product_kernels<double> product_kernels<double>::gpu;

}  // namespace watari::hmatrix
