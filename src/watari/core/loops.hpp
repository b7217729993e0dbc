/// Loops over indices, points and warps, on a GPU by one kernel each.
#pragma once

#include "watari/core/backend.hpp"
#include "watari/core/device.hpp"

#include <cstddef>

#ifndef __CUDACC__
#include <omp.h>
#endif

namespace watari::WATARI_BACKEND {

/// A box of indices: 0 <= i < box.i, 0 <= j < box.j, 0 <= k < box.k. A row has all k.
struct box {
    std::size_t i, j, k;
};

#ifdef __CUDACC__

template <class Body>
__global__ void run_each(std::size_t count, Body body) {
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < count) body(i);
}

/// body(i) for 0 <= i < count, in no order, one thread each; returns before it is done.
template <class Body>
void for_each(std::size_t count, Body body, stream_t stream) {
    constexpr unsigned threads = 256;
    if (count == 0) return;
    run_each<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, stream>>>(count,
                                                                                             body);
    device::check_launch();
}

template <class Body>
__global__ void run_points(box range, Body body) {
    const std::size_t row = blockIdx.x * std::size_t{blockDim.y} + threadIdx.y;
    if (row >= range.i * range.j) return;
    const std::size_t i = row / range.j, j = row % range.j;
    for (std::size_t k = threadIdx.x; k < range.k; k += row_lanes) body(i, j, k);
}

/// body(i, j, k) for every point of a box, in no order, a warp to each row; returns before it is
/// done.
template <class Body>
void for_each_point(box range, Body body, stream_t stream) {
    const dim3 threads(row_lanes, 4);
    if (range.i * range.j == 0) return;
    const auto blocks = static_cast<unsigned>((range.i * range.j + threads.y - 1) / threads.y);
    run_points<<<blocks, threads, 0, stream>>>(range, body);
    device::check_launch();
}

template <unsigned Threads, unsigned BlocksAtOnce, class Body>
__global__ void __launch_bounds__(Threads, BlocksAtOnce) run_blocks(Body body) {
    body();
}

/// Shared memory that launch() gives a block in addition to the declarations of its body.
__device__ __forceinline__ std::byte* block_memory() {
    extern __shared__ __align__(16) std::byte memory[];
    return memory;
}

/// A barrier of `Threads` threads of a block, in whole warps. number: 1 to 15, since
/// __syncthreads() has 0.
template <unsigned Threads>
__device__ __forceinline__ void sync_part(unsigned number) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(Threads) : "memory");
}

/// Runs body() in every thread of `blocks` blocks of `threads`, Threads in all per block. Registers
/// are limited so that a multiprocessor holds BlocksAtOnce. Only for kernels of a GPU.
/// block_memory() of a block has `shared_bytes`, at most device::limits::shared_bytes.
template <unsigned Threads, unsigned BlocksAtOnce, class Body>
void launch(dim3 blocks, dim3 threads, Body body, stream_t stream, std::size_t shared_bytes = 0) {
    if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0) return;
    const auto kernel = run_blocks<Threads, BlocksAtOnce, Body>;
    if (shared_bytes > 0)  // above 48 KiB; check_launch() reports its errors
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes));
    kernel<<<blocks, threads, shared_bytes, stream>>>(body);
    device::check_launch();
}
template <unsigned Threads, unsigned BlocksAtOnce, class Body>
void launch(std::size_t blocks, dim3 threads, Body body, stream_t stream,
            std::size_t shared_bytes = 0) {
    launch<Threads, BlocksAtOnce>(dim3(static_cast<unsigned>(blocks)), threads, body, stream,
                                  shared_bytes);
}

/// Runs body(w) for 0 <= w < count, in no order, in all 32 threads of one warp each; returns before
/// it is done. For bodies that wait more than they compute: 64 registers per thread, and blocks of
/// half a multiprocessor. Such a block keeps out one block of a kernel that computes. Smaller
/// blocks would spread over more multiprocessors and keep out more such blocks. Larger blocks would
/// each need a whole free multiprocessor, and some tens of warps would fill only one or two of
/// them.
template <class Body>
void for_each_warp(std::size_t count, Body body, stream_t stream) {
    constexpr unsigned warps = 16;
    launch<warps * row_lanes, 2>((count + warps - 1) / warps, dim3(row_lanes, warps),
                                 [=] __device__() {
                                     const std::size_t warp =
                                         blockIdx.x * std::size_t{warps} + threadIdx.y;
                                     if (warp < count) body(warp);
                                 },
                                 stream);
}

#else

/// Calls work(first, last) once a thread: every thread takes one contiguous part of 0 to count.
template <class Work>
void for_each_part(std::size_t count, Work work) {
#pragma omp parallel firstprivate(work)
    {
        const std::size_t threads = static_cast<std::size_t>(omp_get_num_threads());
        const std::size_t thread = static_cast<std::size_t>(omp_get_thread_num());
        work(count * thread / threads, count * (thread + 1) / threads);
    }
}

/// body(i) for 0 <= i < count. With one index or one thread no team is made: a team would bind this
/// thread to its first place.
template <class Body>
void for_each(std::size_t count, Body body, stream_t) {
    if (count == 1 || omp_get_max_threads() == 1) {
        for (std::size_t i = 0; i < count; ++i) body(i);
        return;
    }
    for_each_part(count, [=](std::size_t i, std::size_t last) {
        for (; i < last; ++i) body(i);
    });
}

/// body(w) for 0 <= w < count: on a CPU a warp is one thread.
template <class Body>
void for_each_warp(std::size_t count, Body body, stream_t stream) {
    for_each(count, body, stream);
}

/// Calls work(i, j) for the rows of a box.
template <class Work>
void for_each_row(box range, Work work) {
    for_each_part(range.i * range.j, [=](std::size_t row, std::size_t last) {
        for (; row < last; ++row) work(row / range.j, row % range.j);
    });
}

/// body(i, j, k) for every point of a box, in no order.
template <class Body>
void for_each_point(box range, Body body, stream_t) {
    for_each_row(range, [=](std::size_t i, std::size_t j) {
#pragma omp simd
        for (std::size_t k = 0; k < range.k; ++k) body(i, j, k);
    });
}

#endif

}  // namespace watari::WATARI_BACKEND
