/// Two backends, one source: loops and reductions, written once, compiled twice.
///
/// A kernel file is compiled by g++ into `watari::cpu` (OpenMP) and, where nvcc is found, by nvcc
/// into `watari::gpu`. It opens `namespace watari::WATARI_BACKEND` and marks what runs inside a
/// loop with WATARI_KERNEL. Everything inline that it defines stays in that namespace: the linker
/// would keep one of two versions otherwise. This file has the only <<<>>> and the only
/// `#pragma omp` of the library.
///
/// Reductions follow one fixed tree whatever the backend and the number of threads: chunks of
/// 32768 indices, in each of them 256 lanes that step by 256, then halves onto halves.
#pragma once

#include "watari/core/device.hpp"

#include <cstddef>
#include <vector>

#ifdef __CUDACC__
#define WATARI_BACKEND gpu
#define WATARI_KERNEL __device__
#else
#define WATARI_BACKEND cpu
#define WATARI_KERNEL
#endif

#ifndef __CUDACC__
#include <omp.h>
#endif

namespace watari::WATARI_BACKEND {

inline constexpr std::size_t lanes = 256;
inline constexpr std::size_t chunk = 128 * lanes;

/// Adds up partial results pairwise, in a fixed order.
template <class Value>
Value tree_sum(std::vector<Value> partial) {
    if (partial.empty()) return Value{};
    for (std::size_t width = partial.size(); width > 1; width = (width + 1) / 2)
        for (std::size_t i = 0; i < width / 2; ++i) partial[i] += partial[(width + 1) / 2 + i];
    return partial.front();
}

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

template <class Value, class Body>
__global__ void run_sum(std::size_t count, Body body, Value* partial) {
    __shared__ Value lane[lanes];
    const std::size_t first = blockIdx.x * chunk;
    Value own{};
    for (std::size_t i = first + threadIdx.x; i < first + chunk && i < count; i += lanes)
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
        count, body, static_cast<Value*>(scratch.data()));
    device::check_launch();
    device::read_back(partial.data(), scratch.data(), chunks * sizeof(Value), stream);
    return tree_sum(std::move(partial));
}

#else

/// body(i) for 0 <= i < count: every thread takes one contiguous part.
template <class Body>
void for_each(std::size_t count, Body body, stream_t) {
#pragma omp parallel firstprivate(body)
    {
        const std::size_t threads = static_cast<std::size_t>(omp_get_num_threads());
        const std::size_t thread = static_cast<std::size_t>(omp_get_thread_num());
        const std::size_t last = count * (thread + 1) / threads;
        for (std::size_t i = count * thread / threads; i < last; ++i) body(i);
    }
}

/// Sum of body(i) for 0 <= i < count, by the fixed tree.
template <class Value, class Body>
Value sum(std::size_t count, Body body, stream_t) {
    const std::size_t chunks = (count + chunk - 1) / chunk;
    std::vector<Value> partial(chunks);
#pragma omp parallel for firstprivate(body) schedule(static)
    for (std::size_t c = 0; c < chunks; ++c) {
        Value lane[lanes]{};
        const std::size_t last = count < (c + 1) * chunk ? count : (c + 1) * chunk;
        for (std::size_t first = c * chunk; first < last; first += lanes)
            for (std::size_t l = 0; l < lanes && first + l < last; ++l) lane[l] += body(first + l);
        for (std::size_t half = lanes / 2; half > 0; half /= 2)
            for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
        partial[c] = lane[0];
    }
    return tree_sum(std::move(partial));
}

/// How many threads a loop runs on, and whether each stays on its core (OMP_PROC_BIND).
struct team {
    int threads;
    bool pinned;
};

/// The team that the next loop will have.
inline team current_team() {
    return {omp_get_max_threads(), omp_get_proc_bind() != omp_proc_bind_false};
}

/// Loops from here on run on this many threads.
inline void set_threads(int threads) { omp_set_num_threads(threads); }

#endif

}  // namespace watari::WATARI_BACKEND
