// Multiplies a batch of leaves by two kernels:
//
//     t = V x          8 threads a row of V, four rows a warp, of any leaves
//     y += U t, D x    a block takes a tile of 32 rows; each of its warps takes the rows that some
//                      leaves have there: 8 rows by 4 columns at a time, up to 4 of either a thread
//
// In a tile the sums of 64 leaves (of fewer with several systems) wait in shared memory. One warp
// adds them to y in the order of the leaves, while the others compute the next sums. So no block
// waits for another, whatever the sizes of leaves, and sums of leaves take no global memory.
//
// Bytes: those of the elements, once; 16 a row of V and 24 a leaf in a tile for the lists. x and t
// come from the caches. A leaf's rows in a tile are a run of bytes (file/strips.hpp): in pieces of
// 64 bytes the second kernel reads 1.02 times the elements of 8 bytes, counted for bumpy:71 (1.27
// with columns as long as the leaf). Time: that of the bytes, as long as 25 KB a multiprocessor are
// in flight: 32 warps (16 with more than 2 systems) that wait for 1 to 4 KB each. A row of V takes
// columns / 128 round trips to memory, and the longest rows start first. A tile takes one round
// trip for 8 of its leaves, and the tiles with the most elements start first.
//
// With 8 systems the second kernel is limited by its instructions. For 32 rows and 4 columns, 4
// loads of elements and 8 of x or t take 24 cycles of a multiprocessor, and 32 products take 32
// cycles. A leaf has three of those, and at its end 48 shuffles of a cycle each.
#include "watari/hmatrix/product/kernels.hpp"

#include "watari/core/loops.hpp"
#include "watari/hmatrix/product/lanes.hpp"

namespace watari::gpu {

namespace hmatrix_parts {

using hmatrix::batch_view;
using hmatrix::factor_row;
using hmatrix::tile_piece;

constexpr unsigned warp_lanes = row_lanes, every = ~0u;
constexpr unsigned block_warps = 8, block_threads = block_warps * warp_lanes;
/// Blocks on a multiprocessor: 64 registers a thread, or 128 for the sums of more than 2 systems.
template <unsigned Systems>
constexpr unsigned row_blocks_at_once = Systems > 2 ? 2 : 4;
constexpr unsigned tile_blocks_at_once = 4;

/// Rows of V that a warp takes at once, and the number of times.
constexpr unsigned rows_at_once = warp_lanes / row_sum, turns = 4;

/// Computes elements of t. The rows of turn k of all warps lie side by side, so that every warp has
/// long rows first.
template <class Element, unsigned Systems>
__device__ void project(const batch_view& g, const std::byte* data, const double* x, double* t,
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

/// Warps of a tile's block, and leaves whose sums wait at once; two sets of sums take 32 KiB.
template <unsigned Systems>
constexpr unsigned tile_warps = Systems > 2 ? 4 : 8;
template <unsigned Systems>
constexpr unsigned waiting = 64 / Systems;

/// Columns of a leaf that a warp reads at once.
template <unsigned Systems>
constexpr unsigned columns_at_once = Systems > 1 ? 8 : 16;

/// In a strip 8 threads lie side by side, and 4 share a row: each has every 4th column of it.
constexpr unsigned sharers = column_sum, rows_beside = warp_lanes / sharers;
static_assert(rows_beside == hmatrix::strip_rows);

template <unsigned Systems>
using tile_sums = double[Systems][hmatrix::tile_rows_gpu];

/// Adds up Count sums of two threads that are `Lanes` apart. A thread keeps the first half of the
/// sums, or, if its number has the bit `Lanes`, the second half; both keep a single sum.
template <unsigned Lanes, unsigned Count>
__device__ void add_halves(double (&sum)[Count]) {
    if constexpr (Count > 1) {
        const bool second = threadIdx.x & Lanes;
        for (unsigned i = 0; i < Count / 2; ++i) {
            const double other = second ? sum[i] : sum[i + Count / 2];
            const double own = second ? sum[i + Count / 2] : sum[i];
            sum[i] = own + __shfl_xor_sync(every, other, Lanes);
        }
    } else
        sum[0] += __shfl_xor_sync(every, sum[0], Lanes);
}

/// Computes the sums that a leaf adds to its rows of a tile, in Rows strips, by a warp; a thread
/// has a row of each strip. The elements are read once for all systems, x or t once for all rows.
/// In a strip of 8 rows the warp reads a run of 32 elements. The last strip may have fewer rows.
template <unsigned Rows, class Element, unsigned Systems>
__device__ void sum_rows(const tile_piece& own, const Element* a, const double* from,
                         std::size_t length, tile_sums<Systems>& sums) {
    constexpr unsigned at_once = columns_at_once<Systems> / sharers;
    constexpr unsigned values = Rows == 3 ? 4 : Rows;  // halved twice
    constexpr unsigned last = Rows - 1;
    const unsigned row = threadIdx.x % rows_beside, sharer = threadIdx.x / rows_beside;
    double sum[values * Systems]{};
    // a leaf has fewer than 2^32 elements
    const std::uint32_t strip = rows_beside * own.width, fewer = own.rows - last * rows_beside;
    const bool is_row = row < fewer;
    const Element* of_last = a + last * strip + sharer * fewer + row;
    a += threadIdx.x;
    for (std::uint32_t column = sharer; column < own.width + sharer;
         column += columns_at_once<Systems>) {
        // columns from this thread's first one on
        const int left = static_cast<int>(own.width) - static_cast<int>(column);
        Element there[at_once][Rows];
        for (unsigned u = 0; u < at_once; ++u, a += warp_lanes, of_last += sharers * fewer) {
            const bool is_column = static_cast<int>(sharers * u) < left;
            for (unsigned h = 0; h + 1 < Rows; ++h)
                there[u][h] = is_column ? a[h * strip] : Element{0};
            there[u][last] = is_column && is_row ? *of_last : Element{0};
        }
        for (unsigned u = 0; u < at_once; ++u)
            for (unsigned s = 0; s < Systems; ++s) {
                const double by = static_cast<int>(sharers * u) < left
                                      ? (from + s * length)[column + sharers * u]
                                      : 0;
                for (unsigned h = 0; h < Rows; ++h)
                    sum[h * Systems + s] += static_cast<double>(there[u][h]) * by;
            }
    }
    constexpr unsigned count = values * Systems, half = count > 1 ? count / 2 : 1;
    constexpr unsigned quarter = half > 1 ? half / 2 : 1;
    add_halves<2 * rows_beside>(sum);
    double(&of_half)[half] = reinterpret_cast<double(&)[half]>(sum);
    add_halves<rows_beside>(of_half);
    unsigned first = 0;
    if constexpr (count > 1) first = (sharer & 2) ? half : 0;
    if constexpr (half > 1) first += (sharer & 1) ? quarter : 0;
    for (unsigned i = 0; i < quarter; ++i) {
        const unsigned r = row + (first + i) / Systems * rows_beside;
        if (r < own.rows) sums[(first + i) % Systems][own.first + r] = sum[i];
    }
}

template <class Element, unsigned Systems>
__device__ void sum_piece(const batch_view& g, const tile_piece& own, const std::byte* data,
                          const double* x, const double* t, tile_sums<Systems>& sums) {
    const auto* const a = reinterpret_cast<const Element*>(data + own.offset);
    const double* const from = (own.is_dense ? x : t) + own.from;
    const std::size_t length = own.is_dense ? g.length : g.projection_count;
    if (own.rows > 3 * rows_beside)
        sum_rows<4, Element, Systems>(own, a, from, length, sums);
    else if (own.rows > 2 * rows_beside)
        sum_rows<3, Element, Systems>(own, a, from, length, sums);
    else if (own.rows > rows_beside)
        sum_rows<2, Element, Systems>(own, a, from, length, sums);
    else
        sum_rows<1, Element, Systems>(own, a, from, length, sums);
}

template <unsigned Systems>
struct tile_memory {
    tile_sums<Systems> sums[2][waiting<Systems>];
    tile_sums<Systems> y;
    tile_piece pieces[3][waiting<Systems>];  ///< of the leaves before, of these, of the next
};

/// y += the sums of all leaves over a tile, in their order, by a block.
template <class Element, unsigned Systems>
__device__ void add_tile(const batch_view& g, const std::byte* data, const double* x,
                         const double* t, double* y, std::uint32_t number,
                         tile_memory<Systems>& shared) {
    constexpr unsigned most = waiting<Systems>, warps = tile_warps<Systems>;
    const hmatrix::tile own = g.tiles[number];
    const unsigned lane = threadIdx.x, warp = threadIdx.y, thread = warp * warp_lanes + lane;
    const auto pieces_from = [&](std::uint32_t first) {
        return first < own.last ? (own.last - first < most ? own.last - first : most) : 0;
    };
    const auto read_pieces = [&](std::uint32_t first, unsigned place) {
        if (thread < pieces_from(first))
            shared.pieces[place][thread] = g.pass.pieces[first + thread];
    };
    read_pieces(own.first, 0);
    if (lane < own.rows)
        for (unsigned s = warp; s < Systems; s += warps)
            shared.y[s][lane] = y[s * g.length + own.row + lane];
    __syncthreads();
    unsigned side = 0, ring = 0;
    for (std::uint32_t first = own.first; first < own.last; first += most, side ^= 1) {
        const unsigned count = pieces_from(first);
        const unsigned next = ring < 2 ? ring + 1 : 0;
        read_pieces(first + most, next);
        for (unsigned k = warp; k < count; k += warps)
            sum_piece<Element, Systems>(g, shared.pieces[ring][k], data, x, t,
                                        shared.sums[side][k]);
        __syncthreads();
        // by one warp a system, while the others begin with the next leaves
        for (unsigned s = (warp + (first - own.first) / most) % warps; s < Systems; s += warps) {
            double sum = shared.y[s][lane];
            for (unsigned k = 0; k < count; ++k) {
                const tile_piece& piece = shared.pieces[ring][k];
                if (lane - piece.first < piece.rows)  // false, too, where lane < first
                    sum += shared.sums[side][k][s][lane];
            }
            shared.y[s][lane] = sum;
            if (first + count == own.last && lane < own.rows)
                y[s * g.length + own.row + lane] = sum;
        }
        ring = next;
    }
}

template <class Element, unsigned Systems>
void multiply_run(const batch_view& g, const std::byte* data, const double* x, double* t, double* y,
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
    launch<tile_warps<Systems> * warp_lanes, tile_blocks_at_once>(
        g.tile_count, dim3(warp_lanes, tile_warps<Systems>),
        [=] __device__() {
            __shared__ tile_memory<Systems> shared;
            add_tile<Element, Systems>(g, data, x, t, y, blockIdx.x, shared);
        },
        stream);
}

template <class Element>
void multiply(const batch_view& g, const std::byte* data, const double* x, double* scratch,
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
