/// Two backends, one source: loops and reductions, written once, compiled twice.
///
/// A kernel file is compiled by g++ into `watari::cpu` (OpenMP) and, where nvcc is found, by nvcc
/// into `watari::gpu`. It opens `namespace watari::WATARI_BACKEND` and marks what runs inside a
/// loop with WATARI_KERNEL. Everything inline that it defines stays in that namespace: the linker
/// would keep one of two versions otherwise. WATARI_GLOBAL promises that a pointer which a kernel
/// has loaded is to global memory: a GPU then need not check for shared and local memory. This file
/// has the only <<<>>> and the only `#pragma omp` of the library.
///
/// Reductions follow one fixed tree whatever the backend and the number of threads: chunks of
/// 32768 indices, in each of them 256 lanes that step by 256, then halves onto halves. Over a box
/// of three axes each row has 32 lanes that step by 32; then the rows' sums in chunks of 2048.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

#ifdef __CUDACC__
#define WATARI_BACKEND gpu
#define WATARI_KERNEL __device__
#define WATARI_GLOBAL(pointer) __builtin_assume(__isGlobal(pointer))
#define WATARI_ATOMIC "watari/core/atomic_gpu.hpp"
#define WATARI_WARP "watari/core/warp_gpu.hpp"
#else
#define WATARI_BACKEND cpu
#define WATARI_KERNEL
#define WATARI_GLOBAL(pointer) void()
#define WATARI_ATOMIC "watari/core/atomic_cpu.hpp"
#define WATARI_WARP "watari/core/warp_cpu.hpp"
#endif

#ifndef __CUDACC__
#include <omp.h>
#include <sched.h>
#endif

// What a loop of much arithmetic is compiled for: the processor's vectors, found at start. The
// plain x86-64 of a package has a quarter of them; aarch64 has all.
#if defined(__x86_64__) && !defined(__CUDACC__) && !defined(__clang__)
#include <xmmintrin.h>
#ifdef __SANITIZE_THREAD__  // looks at what chooses the clone before it is ready itself
#define WATARI_CLONES
#else
#define WATARI_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#define WATARI_STREAM(to, from) _mm_stream_ps(to, _mm_loadu_ps(from))
#define WATARI_STREAM_END() _mm_sfence()
#else
#define WATARI_CLONES
#define WATARI_STREAM(to, from) std::memcpy(to, from, 4 * sizeof(float))
#define WATARI_STREAM_END() void()
#endif

// For a thread that looks again and again: leaves the core to its sibling for a moment.
#if defined(__x86_64__)
#define WATARI_REST() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define WATARI_REST() asm volatile("yield")
#else
#define WATARI_REST() void()
#endif

namespace watari::WATARI_BACKEND {

inline constexpr std::size_t lanes = 256;
inline constexpr std::size_t chunk = 128 * lanes;
inline constexpr std::size_t row_lanes = 32;
inline constexpr std::size_t row_chunk = 8 * lanes;

/// A box of indices: 0 <= i < box.i, 0 <= j < box.j, 0 <= k < box.k. A row has all k.
struct box {
    std::size_t i, j, k;
};

/// The elements of an array, as what a sum adds up.
struct element {
    const double* data;
    WATARI_KERNEL double operator()(std::size_t i) const { return data[i]; }
};

/// Doubles that sum_values needs beside `count` values: the total, then one a chunk.
constexpr std::size_t sum_scratch(std::size_t count) {
    return 1 + (count + row_chunk - 1) / row_chunk;
}

/// Adds up partial results pairwise, in a fixed order.
template <class Value>
Value tree_sum(std::vector<Value> partial) {
    if (partial.empty()) return Value{};
    for (std::size_t width = partial.size(); width > 1; width = (width + 1) / 2)
        for (std::size_t i = 0; i < width / 2; ++i) partial[i] += partial[(width + 1) / 2 + i];
    return partial.front();
}

#ifdef __CUDACC__

inline constexpr processor::type executes = processor::type::gpu;

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

template <class Body>
__global__ void run_row_sums(box range, Body body, double* sums) {
    const std::size_t row = blockIdx.x * std::size_t{blockDim.y} + threadIdx.y;
    if (row >= range.i * range.j) return;
    const std::size_t i = row / range.j, j = row % range.j;
    double own = 0;
    for (std::size_t k = threadIdx.x; k < range.k; k += row_lanes) own += body(i, j, k);
    for (unsigned half = row_lanes / 2; half > 0; half /= 2)
        own += __shfl_down_sync(~0u, own, half);
    if (threadIdx.x == 0) sums[row] = own;
}

/// sums[i * range.j + j] = sum of body(i, j, k) over the row's k, by the fixed tree, in memory that
/// the GPU sees; returns before it is done.
template <class Body>
void sum_rows(box range, Body body, double* sums, stream_t stream) {
    const dim3 threads(row_lanes, 4);
    if (range.i * range.j == 0) return;
    const auto blocks = static_cast<unsigned>((range.i * range.j + threads.y - 1) / threads.y);
    run_row_sums<<<blocks, threads, 0, stream>>>(range, body, sums);
    device::check_launch();
}

template <unsigned Threads, unsigned BlocksAtOnce, class Body>
__global__ void __launch_bounds__(Threads, BlocksAtOnce) run_blocks(Body body) {
    body();
}

/// body() by every thread of `blocks` blocks of `threads`, which has Threads in all; registers are
/// limited so that a multiprocessor holds BlocksAtOnce. For kernels that only a GPU has.
template <unsigned Threads, unsigned BlocksAtOnce, class Body>
void launch(std::size_t blocks, dim3 threads, Body body, stream_t stream) {
    if (blocks == 0) return;
    run_blocks<Threads, BlocksAtOnce><<<static_cast<unsigned>(blocks), threads, 0, stream>>>(body);
    device::check_launch();
}

/// body(w) for 0 <= w < count, in no order, by all 32 threads of a warp each; returns before it is
/// done. For bodies that wait more than they compute: 64 registers a thread, and blocks of half a
/// multiprocessor, where one block of a kernel that does compute would have been. Of smaller ones,
/// each on a multiprocessor of its own, as many keep one out for less; of larger ones, each of
/// which needs a whole multiprocessor to be free, a list of some tens of warps has one or two.
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

template <class Value, class Body>
__global__ void run_sum(std::size_t count, std::size_t each, Body body, Value* partial) {
    __shared__ Value lane[lanes];
    const std::size_t first = blockIdx.x * each;
    Value own{};
    for (std::size_t i = first + threadIdx.x; i < first + each && i < count; i += lanes)
        own += body(i);
    lane[threadIdx.x] = own;
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) lane[threadIdx.x] += lane[threadIdx.x + half];
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = lane[0];
}

/// Sum of body(i) for 0 <= i < count, by the fixed tree. Waits for the result.
template <class Value, class Body>
Value sum(std::size_t count, Body body, stream_t stream) {
    const std::size_t chunks = (count + chunk - 1) / chunk;
    std::vector<Value> partial(chunks);
    if (chunks == 0) return Value{};
    device::scratch scratch(chunks * sizeof(Value));
    run_sum<<<static_cast<unsigned>(chunks), lanes, 0, stream>>>(
        count, chunk, body, static_cast<Value*>(scratch.data()));
    device::check_launch();
    device::read_back(partial.data(), scratch.data(), chunks * sizeof(Value), stream);
    return tree_sum(std::move(partial));
}

/// total[0] = sum of values, by the fixed tree; total has sum_scratch(count) doubles that the GPU
/// sees, apart from the values. Returns before it is done.
inline void sum_values(const double* values, std::size_t count, double* total, stream_t stream) {
    const std::size_t chunks = sum_scratch(count) - 1;
    const auto blocks = static_cast<unsigned>(chunks);
    if (blocks > 0)
        run_sum<<<blocks, lanes, 0, stream>>>(count, row_chunk, element{values}, total + 1);
    run_sum<<<1, lanes, 0, stream>>>(chunks, chunks, element{total + 1}, total);
    device::check_launch();
}

#else

inline constexpr processor::type executes = processor::type::cpu;

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

/// body(i) for 0 <= i < count. One index, or one thread, needs no team, which would bind this
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

/// Halves onto halves; the sum is in lane[0].
template <class Value, std::size_t Lanes>
void fold(Value (&lane)[Lanes]) {
    for (std::size_t half = Lanes / 2; half > 0; half /= 2)
        for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
}

/// Sum of body(i, j, k) over 0 <= k < count, by the fixed tree.
template <class Body>
WATARI_CLONES double sum_row(std::size_t i, std::size_t j, std::size_t count, Body body) {
    double lane[row_lanes]{};
    decltype(body(i, j, i)) value[row_lanes];  // apart: a loop of one width is a vector loop
    std::size_t k = 0;
    for (; k + row_lanes <= count; k += row_lanes) {
#pragma omp simd
        for (std::size_t l = 0; l < row_lanes; ++l) value[l] = body(i, j, k + l);
        for (std::size_t l = 0; l < row_lanes; ++l) lane[l] += value[l];
    }
    for (std::size_t l = 0; k + l < count; ++l) lane[l] += body(i, j, k + l);
    fold(lane);
    return lane[0];
}

/// sums[i * range.j + j] = sum of body(i, j, k) over the row's k, by the fixed tree.
template <class Body>
void sum_rows(box range, Body body, double* sums, stream_t) {
    for_each_row(range, [=](std::size_t i, std::size_t j) {
        sums[i * range.j + j] = sum_row(i, j, range.k, body);
    });
}

/// Sum of body(i) for first <= i < last: 256 lanes that step by 256.
template <class Value, class Body>
Value sum_in_lanes(std::size_t first, std::size_t last, const Body& body) {
    Value lane[lanes]{};
    for (; first < last; first += lanes)
        for (std::size_t l = 0; l < lanes && first + l < last; ++l) lane[l] += body(first + l);
    fold(lane);
    return lane[0];
}

/// Sum of body(i) for 0 <= i < count, by the fixed tree.
template <class Value, class Body>
Value sum(std::size_t count, Body body, stream_t) {
    const std::size_t chunks = (count + chunk - 1) / chunk;
    std::vector<Value> partial(chunks);
#pragma omp parallel for firstprivate(body) schedule(static)
    for (std::size_t c = 0; c < chunks; ++c)
        partial[c] =
            sum_in_lanes<Value>(c * chunk, count < (c + 1) * chunk ? count : (c + 1) * chunk, body);
    return tree_sum(std::move(partial));
}

/// total[0] = sum of values, by the fixed tree; total has sum_scratch(count) doubles apart from the
/// values.
inline void sum_values(const double* values, std::size_t count, double* total, stream_t) {
    const std::size_t chunks = sum_scratch(count) - 1;
    for (std::size_t c = 0; c < chunks; ++c) {
        const std::size_t last = count < (c + 1) * row_chunk ? count : (c + 1) * row_chunk;
        total[1 + c] =
            sum_in_lanes<double>(c * row_chunk, last, [=](std::size_t i) { return values[i]; });
    }
    total[0] = sum_in_lanes<double>(0, chunks, [=](std::size_t i) { return total[1 + i]; });
}

/// 64 bytes of an array that is only written: where the processor has such stores they pass by the
/// caches, which would read them from memory first.
inline constexpr std::size_t line = 16;

/// Writes a line to an address that is a multiple of 16.
[[gnu::always_inline]] inline void stream_line(float* to, const float (&from)[line]) {
    for (std::size_t l = 0; l < line; l += 4) WATARI_STREAM(to + l, from + l);
}

/// What this thread wrote by stream_line is seen by whoever waits for it.
inline void end_streams() { WATARI_STREAM_END(); }

/// How many threads a loop runs on, and whether each stays on its core (OMP_PROC_BIND).
struct team {
    int threads;
    bool pinned;
};

/// The team that the next loop will have.
inline team current_team() {
    return {omp_get_max_threads(), omp_get_proc_bind() != omp_proc_bind_false};
}

/// The CPUs that this process may run on, one of each core first. OpenMP may have bound the calling
/// thread to one of them.
inline std::vector<int> own_cpus() {
    std::vector<std::vector<int>> places(static_cast<std::size_t>(omp_get_num_places()));
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i].resize(static_cast<std::size_t>(omp_get_place_num_procs(static_cast<int>(i))));
        omp_get_place_proc_ids(static_cast<int>(i), places[i].data());
    }
    std::vector<int> found;
    for (std::size_t sibling = 0, before = 1; before != found.size(); ++sibling) {
        before = found.size();
        for (const std::vector<int>& place : places)
            if (sibling < place.size()) found.push_back(place[sibling]);
    }
    if (!found.empty()) return found;
    cpu_set_t set;  // OpenMP binds nothing
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) found.push_back(cpu);
    return found;
}

/// Loops from here on run on this many threads.
inline void set_threads(int threads) { omp_set_num_threads(threads); }

#endif

}  // namespace watari::WATARI_BACKEND
