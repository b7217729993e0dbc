// A group of leaves by two kernels:
//
//     t = V x          8 threads a row of V, four rows a warp, whichever leaves they are of
//     y += U t, D x    a block takes a tile of 32 rows; each of its warps what some leaves have
//     there
//
// In a tile the sums of 64 leaves wait in shared memory until one warp adds them to y in the order
// of the leaves, while the others make the next 64. So no block waits for another, whatever the
// sizes of leaves, and sums of leaves take no memory.
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
constexpr unsigned tile_blocks_at_once = (Systems > 2 ? 2 : 4) /
                                         (hmatrix::tile_rows_gpu / row_lanes);

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

/// A tile's warps, the rows that one of its lanes may have, and the leaves whose sums wait at once,
/// twice: 16 KiB.
constexpr unsigned lane_rows = hmatrix::tile_rows_gpu / warp_lanes;
constexpr unsigned tile_warps = block_warps * lane_rows, tile_threads = tile_warps * warp_lanes;
template <unsigned Systems>
constexpr unsigned waiting = 64 / Systems / lane_rows;

/// Columns of a leaf that a warp reads at once.
template <unsigned Systems>
constexpr unsigned columns_at_once = Systems > 2 ? 4 : 16 / Systems;

template <unsigned Systems>
struct tile_memory {
    double sums[2][waiting<Systems>][Systems][hmatrix::tile_rows_gpu];
    double y[Systems][hmatrix::tile_rows_gpu];
    alignas(16) double by[tile_warps][Systems][columns_at_once<Systems>];
    tile_piece pieces[2][waiting<Systems>];
};

/// What rows are multiplied with: x or t, of all systems, and a warp's memory for some of it.
template <unsigned Systems>
struct factors {
    const double* from;
    std::size_t stride;
    double (&by)[Systems][columns_at_once<Systems>];
};

/// sums[s][row] = what a leaf adds to its rows of the tile, of 32 or, if Rows is 2, 64, by a warp:
/// Sharers threads have a row, each some lanes of its sum; or a thread has Rows rows.
template <unsigned Sharers, unsigned Rows, class Element, unsigned Systems>
__device__ void sum_rows(const tile_piece& own, const Element* a, const factors<Systems>& f,
                         double (&sums)[Systems][hmatrix::tile_rows_gpu]) {
    constexpr unsigned lanes = column_sum / Sharers, rows = warp_lanes / Sharers;
    constexpr unsigned columns = columns_at_once<Systems> / Rows;
    constexpr unsigned at_once = columns / Sharers;
    static_assert(at_once % lanes == 0);
    const unsigned row = threadIdx.x % rows, sharer = Sharers > 1 ? threadIdx.x / rows : 0;
    // a leaf has fewer than 2^32 elements
    std::uint32_t at = sharer * own.stride + row;
    double lane[Rows][lanes][Systems]{};
    for (std::uint32_t base = 0; base < own.width; base += columns) {
        const std::uint32_t left = own.width - base;
        double by[Systems];
        for (unsigned s = 0; s < Systems; ++s)
            by[s] = threadIdx.x < left && threadIdx.x < columns
                        ? f.from[s * f.stride + base + threadIdx.x]
                        : 0;
        Element there[Rows][at_once];
        for (unsigned u = 0; u < at_once; ++u, at += Sharers * own.stride)
            for (unsigned h = 0; h < Rows; ++h) {
                // of the columns of this thread, as many as there are
                const int mine = row + h * warp_lanes < own.rows
                                     ? static_cast<int>(left) - static_cast<int>(sharer)
                                     : 0;
                there[h][u] =
                    static_cast<int>(Sharers * u) < mine ? (a + at)[h * warp_lanes] : Element{0};
            }
        __syncwarp();
        if (threadIdx.x < columns)
            for (unsigned s = 0; s < Systems; ++s) f.by[s][threadIdx.x] = by[s];
        __syncwarp();
        for (unsigned s = 0; s < Systems; ++s)
            for (unsigned u = 0; u < at_once; ++u)
                for (unsigned h = 0; h < Rows; ++h)
                    lane[h][u % lanes][s] +=
                        static_cast<double>(there[h][u]) * f.by[s][sharer + Sharers * u];
    }
    for (unsigned s = 0; s < Systems; ++s)
        for (unsigned h = 0; h < Rows; ++h) {
            double sum;
            if constexpr (lanes == 4)
                sum = (lane[h][0][s] + lane[h][2][s]) + (lane[h][1][s] + lane[h][3][s]);
            else if constexpr (lanes == 2)
                sum = lane[h][0][s] + lane[h][1][s];
            else
                sum = lane[h][0][s] + __shfl_xor_sync(every, lane[h][0][s], 2 * rows);
            if constexpr (lanes < 4) sum += __shfl_xor_sync(every, sum, rows);
            if (sharer == 0 && row + h * warp_lanes < own.rows)
                sums[s][own.first + row + h * warp_lanes] = sum;
        }
}

template <class Element, unsigned Systems>
__device__ void sum_piece(const group_view& g, const tile_piece& own, const std::byte* data,
                          const double* x, const double* t,
                          double (&by)[Systems][columns_at_once<Systems>],
                          double (&sums)[Systems][hmatrix::tile_rows_gpu]) {
    const auto* const a = reinterpret_cast<const Element*>(data + own.offset);
    const factors<Systems> f{(own.is_dense ? x : t) + own.from,
                             own.is_dense ? g.length : g.projection_count, by};
    for (unsigned h = 0; h < lane_rows; ++h) {
        const unsigned r = threadIdx.x + h * warp_lanes;
        if (r - own.first >= own.rows)  // also where it is before
            for (unsigned s = 0; s < Systems; ++s) sums[s][r] = 0;
    }
    if (own.rows > warp_lanes) {
        if constexpr (Systems <= 2) return sum_rows<1, lane_rows>(own, a, f, sums);
        // a thread has no registers for the sums of two rows
        tile_piece half = own;
        half.rows = warp_lanes;
        sum_rows<1, 1>(half, a, f, sums);
        half.first += warp_lanes;
        half.rows = own.rows - warp_lanes;
        sum_rows<1, 1>(half, a + warp_lanes, f, sums);
    } else if (own.rows > warp_lanes / 2)
        sum_rows<1, 1>(own, a, f, sums);
    else if (own.rows > warp_lanes / 4)
        sum_rows<2, 1>(own, a, f, sums);
    else
        sum_rows<4, 1>(own, a, f, sums);
}

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
    for (unsigned i = thread; i < Systems * hmatrix::tile_rows_gpu; i += tile_threads) {
        const unsigned s = i / hmatrix::tile_rows_gpu, row = i % hmatrix::tile_rows_gpu;
        if (row < own.rows) shared.y[s][row] = y[s * g.length + own.row + row];
    }
    __syncthreads();
    unsigned side = 0;
    for (std::uint32_t first = own.first; first < own.last; first += most, side ^= 1) {
        const unsigned count = pieces_from(first);
        read_pieces(first + most, side ^ 1);
        for (unsigned k = warp; k < count; k += tile_warps)
            sum_piece<Element, Systems>(g, shared.pieces[side][k], data, x, t, shared.by[warp],
                                        shared.sums[side][k]);
        __syncthreads();
        // by one warp for some rows of a system, while the others begin with the next leaves
        for (unsigned i = (warp + (first - own.first) / most * lane_rows) % tile_warps;
             i < Systems * lane_rows; i += tile_warps) {
            const unsigned s = i / lane_rows, row = i % lane_rows * warp_lanes + lane;
            double sum = shared.y[s][row];
            for (unsigned k = 0; k < count; ++k) sum += shared.sums[side][k][s][row];
            shared.y[s][row] = sum;
            if (first + count == own.last && row < own.rows) y[s * g.length + own.row + row] = sum;
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
    launch<tile_threads, tile_blocks_at_once<Systems>>(
        g.tile_count, dim3(warp_lanes, tile_warps),
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
