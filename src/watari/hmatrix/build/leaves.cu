// Makes leaves from their entries to their bytes, each by a block or a warp; see leaf_kernel.hpp.
//
// Work, counted for bumpy:71 at eps 1e-6 (100,820 triangles): 4.4e8 entries, two thirds of them by
// 7 points, a third by 3: 2e10 flops with 2.5e9 roots and quotients; approximation 1e10 flops;
// recompression 2e10, and 2e10 in rotations. A GPU of 34e12 flops a second needs some 0.05 s for
// them, with as many threads as registers allow. Bytes: crosses are read k / 2 times to
// approximate, k times to recompress and once for each rank that is left: 200 GB from L2, as are
// the panels. 2.25 GB go to the CPU.
#include "watari/hmatrix/build/leaf_kernel.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/atomic.hpp"
#include "watari/hmatrix/build/recompress.cuh"

namespace watari::gpu {

namespace hmatrix_build {

using hmatrix::leaf_result;
using hmatrix::leaf_task;
using hmatrix::leaves_view;

constexpr unsigned block_warps = 8, block_threads = block_warps * warp_lanes;
constexpr unsigned blocks_at_once = 2;  ///< of a multiprocessor: 128 registers a thread

/// Takes room for a leaf's `count` elements in the pool of results; null if there is none.
template <unsigned Threads, class Element>
__device__ Element* room(const team<Threads>& own, const leaves_view& g, std::uint64_t count,
                         leaf_result& result) {
    constexpr std::uint64_t unit = hmatrix::leaf_unit;
    std::byte* const at = own.take(g.out, (count * sizeof(Element) + unit - 1) / unit * unit);
    if (at) result.offset = static_cast<std::uint64_t>(at - g.out.data);
    return reinterpret_cast<Element*>(at);
}

/// Computes all entries, in strips; half a warp takes a piece of 16 rows of a column.
template <unsigned Threads, class Element>
__device__ void make_dense(const team<Threads>& own, const leaves_view& g, const hmatrix::block& of,
                           leaf_result& result) {
    constexpr std::uint32_t piece = 16;
    const std::uint64_t count = std::uint64_t{of.rows} * of.columns;
    auto* const to = room<Threads, Element>(own, g, count, result);
    if (!to) return;
    const std::uint32_t pieces = (of.rows + piece - 1) / piece;
    const std::uint64_t all = std::uint64_t{pieces} * of.columns;
    for (std::uint64_t base = 0; base < all; base += Threads / piece) {
        const std::uint64_t n = base + own.rank / piece;
        const std::uint64_t j = n / pieces, i = n % pieces * piece + own.rank % piece;
        const bool has = n < all && i < of.rows;
        const double value = entry(g.entries, of.row + i, of.column + j, has);
        if (has)
            to[hmatrix::leaf_rows{of.row, of.rows}.place(of.columns, static_cast<std::uint32_t>(i),
                                                         j)] = static_cast<Element>(value);
    }
    result.entries += count;
    result.rank = hmatrix::dense;
}

/// Writes V and U of a rank from factors.v(c, j) and factors.u(c, i).
template <unsigned Threads, class Element, class Factors>
__device__ void write_factors(const team<Threads>& own, const leaves_view& g,
                              const hmatrix::block& of, std::uint32_t rank, const Factors& factors,
                              leaf_result& result) {
    const std::uint64_t count = std::uint64_t{rank} * (std::uint64_t{of.rows} + of.columns);
    auto* const v = room<Threads, Element>(own, g, count, result);
    if (!v) return;
    auto* const u = v + std::uint64_t{rank} * of.columns;
    for (std::uint32_t c = 0; c < rank; ++c) {
        for (std::uint32_t j = own.rank; j < of.columns; j += Threads)
            v[std::uint64_t{c} * of.columns + j] = static_cast<Element>(factors.v(c, j));
        for (std::uint32_t i = own.rank; i < of.rows; i += Threads)
            u[hmatrix::leaf_rows{of.row, of.rows}.place(rank, i, c)] =
                static_cast<Element>(factors.u(c, i));
    }
    result.rank = rank;
}

/// The crosses without recompression.
struct plain_factors {
    const cross_slabs& crosses;
    __device__ double v(std::uint32_t c, std::uint32_t j) const { return crosses.v(c)[j]; }
    __device__ double u(std::uint32_t c, std::uint32_t i) const { return crosses.u(c)[i]; }
};

/// Makes a low-rank leaf if that takes fewer elements, else a dense one.
template <unsigned Threads, class Element>
__device__ void make_low_rank(const team<Threads>& own, const leaves_view& g, const leaf_task& task,
                              leaf_result& result) {
    const hmatrix::rank_limits limits = hmatrix::limits_of(task.of, g.recompress);
    approximation<Threads> found(own, g, task.of, task.for_crosses, limits.crosses);
    const ending end = found.run();
    result.entries = found.entries;
    result.went_on = found.went_on;
    if (end == ending::no_room) return;
    if (end == ending::found && !g.recompress)
        return write_factors<Threads, Element>(own, g, task.of, found.crosses.count,
                                               plain_factors{found.crosses}, result);
    if (end == ending::found) {
        recompression<Threads> smaller(own, found.crosses);
        if (!smaller.run(g.work)) return;
        const std::uint32_t rank = smaller.rank(task.for_all);
        if (rank <= limits.paying)
            return write_factors<Threads, Element>(own, g, task.of, rank, smaller, result);
    }
    make_dense<Threads, Element>(own, g, task.of, result);
}

template <unsigned Threads, class Element>
__device__ void make_leaf(const team<Threads>& own, const leaves_view& g, std::uint32_t number) {
    const leaf_task task = g.tasks[number];
    leaf_result result{0, 0, hmatrix::unmade, 0};
    if (task.of.admissible)
        make_low_rank<Threads, Element>(own, g, task, result);
    else
        make_dense<Threads, Element>(own, g, task.of, result);
    if (own.rank == 0) g.results[task.number] = result;
}

template <class Element>
void make(const leaves_view& g, stream_t stream) {
    const std::size_t blocks =
        g.of_blocks + (g.count - g.of_blocks + block_warps - 1) / block_warps;
    launch<block_threads, blocks_at_once>(
        blocks, dim3(warp_lanes, block_warps),
        [=] __device__() {
            __shared__ exchange<block_warps> shared;
            auto* const memory = reinterpret_cast<double*>(block_memory());
            if (blockIdx.x < g.of_blocks)
                return make_leaf<block_threads, Element>(
                    team<block_threads>{threadIdx.y * warp_lanes + threadIdx.x, &shared, memory}, g,
                    blockIdx.x);
            const std::uint32_t n =
                g.of_blocks + (blockIdx.x - g.of_blocks) * block_warps + threadIdx.y;
            const team<warp_lanes> own{threadIdx.x, nullptr,
                                       memory + threadIdx.y * team<warp_lanes>::room};
            if (n < g.count) make_leaf<warp_lanes, Element>(own, g, n);
        },
        stream, team<block_threads>::room * sizeof(double));
}

/// Moves a leaf by a warp; each lane has 4 words in flight.
inline void move(std::byte* to, const std::byte* from, const hmatrix::leaf_move* moves,
                 std::uint32_t count, stream_t stream) {
    launch<block_threads, blocks_at_once>(
        (count + block_warps - 1) / block_warps, dim3(warp_lanes, block_warps),
        [=] __device__() {
            constexpr std::uint64_t at_once = 4;
            const std::uint32_t n = blockIdx.x * block_warps + threadIdx.y;
            if (n >= count) return;
            const auto* const source = reinterpret_cast<const std::uint64_t*>(from + moves[n].from);
            auto* const target = reinterpret_cast<std::uint64_t*>(to + moves[n].to);
            const std::uint64_t words = moves[n].bytes / sizeof(std::uint64_t);
            for (std::uint64_t base = threadIdx.x; base < words; base += at_once * warp_lanes) {
                std::uint64_t own[at_once];
                for (std::uint64_t u = 0; u < at_once; ++u)
                    own[u] = base + u * warp_lanes < words ? source[base + u * warp_lanes] : 0;
                for (std::uint64_t u = 0; u < at_once; ++u)
                    if (base + u * warp_lanes < words) target[base + u * warp_lanes] = own[u];
            }
        },
        stream);
}

}  // namespace hmatrix_build

const hmatrix::leaf_kernels hmatrix_leaves{.make_single = hmatrix_build::make<float>,
                                           .make_double = hmatrix_build::make<double>,
                                           .move = hmatrix_build::move};

}  // namespace watari::gpu
