/// The sum of partial sums by one launch of a GPU: blocks add up columns, and the last block to end
/// adds up the columns' sums. Part of totals.hpp, which includes it.
#pragma once

#include "../grid/loops.hpp"
#include "iteration.hpp"
#include "watari/core/parallel/sums.hpp"

namespace watari::gpu {

/// sum_values() of `values` by a block of `lanes` threads; also[0] = total[0].
__device__ __forceinline__ void add_up_in_block(const double* values, std::size_t count,
                                                double* total, double* also) {
    __shared__ double lane[lanes];
    const auto add_up = [&](const double* from, std::size_t first, std::size_t last, double* to) {
        double own = 0;
        for (std::size_t i = first + threadIdx.x; i < last; i += lanes) own += from[i];
        lane[threadIdx.x] = own;
        for (std::size_t half = lanes / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half) lane[threadIdx.x] += lane[threadIdx.x + half];
        }
        if (threadIdx.x == 0) *to = lane[0];
        __syncthreads();
    };
    const std::size_t chunks = sum_scratch(count) - 1;
    for (std::size_t c = 0; c < chunks; ++c) {
        const std::size_t last = (c + 1) * row_chunk;
        add_up(values, c * row_chunk, last < count ? last : count, total + 1 + c);
    }
    add_up(total + 1, 0, chunks, total);
    if (threadIdx.x == 0) *also = total[0];
}

inline void add_up(const double* values, std::size_t count, double* total, double* scratch,
                   stream_t stream) {
    launch<lanes, 1>(
        1, dim3(lanes), [=] __device__() { add_up_in_block(values, count, scratch, total); },
        stream);
}

/// Columns of a block: each of its warps loads some planes of them, the first warp adds up.
inline constexpr unsigned columns_at_once = row_lanes, planes_of_warp = 16,
                          planes_loaded = lanes / row_lanes * planes_of_warp;

__device__ __forceinline__ void add_columns_in_block(const double* partials, double* columns,
                                                     std::size_t count, std::size_t planes) {
    __shared__ double loaded[planes_loaded][columns_at_once];
    const unsigned lane = threadIdx.x % row_lanes, warp = threadIdx.x / row_lanes;
    const std::size_t column = std::size_t{blockIdx.x} * columns_at_once + lane;
    double sum = 0;
    for (std::size_t first = 0; first < planes; first += planes_loaded) {
#pragma unroll
        for (unsigned n = 0; n < planes_of_warp; ++n) {
            const unsigned k = warp * planes_of_warp + n;
            if (column < count && first + k < planes)
                loaded[k][lane] = partials[(first + k) * count + column];
        }
        __syncthreads();
        if (warp == 0 && column < count)
            for (unsigned k = 0; k < planes_loaded && first + k < planes; ++k)
                sum += loaded[k][lane];
        __syncthreads();
    }
    if (warp == 0 && column < count) columns[column] = sum;
}

/// Whether this block is the last of all blocks to arrive here; `came` is 0 before and after. The
/// last block can read what the others have written before.
__device__ __forceinline__ bool comes_last(unsigned* came, unsigned blocks) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(came, 1u) + 1 == blocks;
        if (last) *came = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}

inline void add_all(const les::grid& g, const double* partials, double* columns, double* total,
                    double* scratch, les::iteration_sums* sums, stream_t stream) {
    const std::size_t count = g.size.x / les::piece_of(g.size.x) * g.size.y, planes = g.size.z;
    const auto blocks = static_cast<unsigned>((count + columns_at_once - 1) / columns_at_once);
    unsigned* const came = &sums->came;
    launch<lanes, 1>(
        std::size_t{blocks}, dim3(lanes),
        [=] __device__() {
            add_columns_in_block(partials, columns, count, planes);
            if (comes_last(came, blocks)) add_up_in_block(columns, count, scratch, total);
        },
        stream);
}

}  // namespace watari::gpu
