// A group of leaves by two kernels. In the first a block takes a large leaf, or four small ones, a
// warp each:
//
//     t = V x          8 threads a row of V; t lies in shared memory
//     sums = U t, D x  2 threads a row, 16 rows side by side: runs of 128 bytes of a column
//
// In the second a warp takes 32 rows:
//
//     y += sums        in the order of the leaves: y has one order of additions
//
// A leaf cannot add its sums itself, since rows wait for the leaves before it; and whoever were to
// add up what a large leaf completes last, hundreds of tiles, would keep all others waiting. Blocks
// start with the largest leaves: what is left at the end is small.
//
// Bytes: those of the elements, once; of x, a leaf's columns (from L2); 16 a leaf's row for its
// sum, written and read, 5 to 8% of the elements in double. Time: elements at the rate of memory as
// long as blocks are many; the longest leaf is (columns + rows) / 64 x rank / 16 round trips to
// memory, and starts first; a tile is a trip for 32 of its pieces, and one for 16 of their sums.
#include "watari/hmatrix/product/kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/hmatrix/product/lanes.hpp"

namespace watari::gpu {

namespace hmatrix_parts {

using hmatrix::group_view;
using hmatrix::leaf_view;
using hmatrix::tile_piece;

constexpr unsigned warp_lanes = row_lanes, every = ~0u;
constexpr unsigned block_warps = 4, block_threads = block_warps * warp_lanes;
/// Of a multiprocessor: 64 registers a thread, or 128 for the sums of several systems.
template <unsigned Systems>
constexpr unsigned blocks_at_once = Systems > 2 ? 4 : 8;
constexpr unsigned shared_ranks = block_warps * hmatrix::most_rank_of_a_warp;

/// The threads that have a leaf together: a warp, or a block.
template <unsigned Threads>
struct team {
    unsigned rank;
    __device__ void sync() const {
        if constexpr (Threads == warp_lanes)
            __syncwarp();
        else
            __syncthreads();
    }
};

/// Where t of a leaf lies: in shared memory, or where its rank is too high in the scratch.
struct projection {
    double* at;
    std::size_t stride;  ///< of one system to the next
};

template <unsigned Threads, class Element, unsigned Systems>
__device__ void project(const team<Threads>& own, const group_view& g, const leaf_view& leaf,
                        const Element* v, const double* x, const projection& t) {
    const unsigned lane = own.rank % row_sum;
    for (unsigned base = 0; base < leaf.rank; base += Threads / row_sum) {
        const unsigned r = base + own.rank / row_sum;
        double sum[Systems]{};
        if (r < leaf.rank)
            add_lane<Systems>(v + std::size_t{r} * leaf.columns, x + leaf.column, g.length,
                              leaf.columns, lane, sum);
        for (unsigned half = row_sum / 2; half > 0; half /= 2)
            for (unsigned s = 0; s < Systems; ++s) sum[s] += __shfl_xor_sync(every, sum[s], half);
        if (r < leaf.rank && lane == 0)
            for (unsigned s = 0; s < Systems; ++s) t.at[s * t.stride + r] = sum[s];
    }
    own.sync();
}

/// The sums of a leaf's rows.
template <unsigned Threads, class Element, unsigned Systems>
__device__ void sum_rows(const team<Threads>& own, const leaf_view& leaf, const Element* a,
                         std::uint32_t width, const projection& by, double* sums,
                         std::size_t sum_count) {
    constexpr unsigned rows_of_warp = warp_lanes / 2;
    const unsigned lane = own.rank % warp_lanes, half = lane / rows_of_warp;
    const unsigned in_team = own.rank / warp_lanes * rows_of_warp + lane % rows_of_warp;
    for (unsigned base = 0; base < leaf.rows; base += Threads / 2) {
        const unsigned i = base + in_team;
        double sum[Systems]{};
        if (i < leaf.rows) add_half<Systems>(a + i, leaf.rows, by.at, by.stride, width, half, sum);
        for (unsigned s = 0; s < Systems; ++s)
            sum[s] += __shfl_xor_sync(every, sum[s], rows_of_warp);
        if (i < leaf.rows && half == 0)
            for (unsigned s = 0; s < Systems; ++s) sums[s * sum_count + i] = sum[s];
    }
    own.sync();
}

/// y += the sums of all leaves over a tile, in their order, by a warp.
template <unsigned Systems>
__device__ void add_tile(const group_view& g, const double* sums, double* y, std::uint32_t number) {
    constexpr unsigned at_once = Systems > 2 ? 4 : 16 / Systems;
    const hmatrix::tile own = g.tiles[number];
    const unsigned lane = threadIdx.x;
    const bool is_row = lane < own.rows;
    double sum[Systems]{};
    for (unsigned s = 0; is_row && s < Systems; ++s) sum[s] = y[s * g.length + own.row + lane];
    for (std::uint32_t first = own.first; first < own.last; first += warp_lanes) {
        const unsigned count = own.last - first < warp_lanes ? own.last - first : warp_lanes;
        const tile_piece mine = lane < count ? g.pass.pieces[first + lane] : tile_piece{0, 0, 0};
        for (unsigned k = 0; k < count; k += at_once) {
            double value[at_once][Systems];
            bool has[at_once];
            for (unsigned u = 0; u < at_once; ++u) {
                // all lanes take part in each of the three
                const std::uint32_t at = __shfl_sync(every, mine.at, k + u) + lane;
                const std::uint32_t from = __shfl_sync(every, mine.first, k + u);
                const std::uint32_t to = __shfl_sync(every, mine.last, k + u);
                has[u] = lane >= from && lane < to;
                for (unsigned s = 0; s < Systems; ++s)
                    value[u][s] = has[u] ? sums[s * std::size_t{g.pass.sum_count} + at] : 0;
            }
            for (unsigned u = 0; u < at_once; ++u)
                for (unsigned s = 0; s < Systems; ++s)
                    if (has[u]) sum[s] += value[u][s];
        }
    }
    for (unsigned s = 0; is_row && s < Systems; ++s) y[s * g.length + own.row + lane] = sum[s];
}

/// Behind t of all systems.
template <unsigned Systems>
__device__ double* sums_of(const group_view& g, double* scratch) {
    return scratch + Systems * std::size_t{g.projection_count};
}

template <unsigned Threads, class Element, unsigned Systems>
__device__ void multiply_leaf(const team<Threads>& own, const group_view& g, const std::byte* data,
                              const double* x, double* scratch, std::uint32_t number,
                              double* shared) {
    const leaf_view leaf = g.leaves[number];
    const auto* const a = reinterpret_cast<const Element*>(data + leaf.offset);
    double* const sums = sums_of<Systems>(g, scratch) + g.pass.sums[number];
    constexpr unsigned most = Threads / warp_lanes * hmatrix::most_rank_of_a_warp;
    projection t{shared, most};
    if (leaf.rank == hmatrix::dense) {
        // read alone
        const projection by{const_cast<double*>(x) + leaf.column, g.length};
        sum_rows<Threads, Element, Systems>(own, leaf, a, leaf.columns, by, sums, g.pass.sum_count);
    } else {
        if (leaf.rank > most) t = {scratch + leaf.projected, g.projection_count};
        project<Threads, Element, Systems>(own, g, leaf, a, x, t);
        sum_rows<Threads, Element, Systems>(own, leaf, a + std::size_t{leaf.rank} * leaf.columns,
                                            leaf.rank, t, sums, g.pass.sum_count);
    }
}

template <class Element, unsigned Systems>
void multiply_run(const group_view& g, const std::byte* data, const double* x, double* scratch,
                  double* y, stream_t stream) {
    const std::uint32_t small = g.pass.leaf_count - g.pass.large;
    const std::size_t blocks = g.pass.large + (small + block_warps - 1) / block_warps;
    launch<block_threads, blocks_at_once<Systems>>(
        blocks, dim3(warp_lanes, block_warps),
        [=] __device__() {
            __shared__ double shared[shared_ranks * Systems];
            if (blockIdx.x < g.pass.large)
                return multiply_leaf<block_threads, Element, Systems>(
                    {threadIdx.y * warp_lanes + threadIdx.x}, g, data, x, scratch, blockIdx.x,
                    shared);
            const std::uint32_t n =
                g.pass.large + (blockIdx.x - g.pass.large) * block_warps + threadIdx.y;
            if (n < g.pass.leaf_count)
                multiply_leaf<warp_lanes, Element, Systems>(
                    {threadIdx.x}, g, data, x, scratch, n,
                    shared + threadIdx.y * hmatrix::most_rank_of_a_warp * Systems);
        },
        stream);
    // a block is a warp, so that few tiles too are spread over all multiprocessors
    launch<warp_lanes, block_warps * blocks_at_once<Systems>>(
        g.tile_count, dim3(warp_lanes),
        [=] __device__() { add_tile<Systems>(g, sums_of<Systems>(g, scratch), y, blockIdx.x); },
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
