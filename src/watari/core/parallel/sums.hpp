/// Sums over indices and over the rows of a box. `sum` allocates and waits: for use outside loops;
/// reductions.hpp has sums into the caller's memory.
///
/// All follow one fixed tree for any backend and number of threads: chunks of 32768 indices, each
/// with 256 lanes that step by 256; then the upper half of the lanes is added to the lower half,
/// until one is left. Over a box of three axes each row has 32 lanes that step by 32; then the sums
/// of the rows are added in chunks of 2048.
#pragma once

#include "watari/core/loops.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace watari::WATARI_BACKEND {

inline constexpr std::size_t lanes = 256;
inline constexpr std::size_t chunk = 128 * lanes;
inline constexpr std::size_t row_chunk = 8 * lanes;

/// The elements of an array, as the body of a sum.
struct element {
    const double* data;
    WATARI_KERNEL double operator()(std::size_t i) const { return data[i]; }
};

/// Doubles that sum_values needs beside `count` values: the total, then one per chunk.
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

/// Adds the upper half of the lanes to the lower half, until the sum is in lane[0].
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

#endif

}  // namespace watari::WATARI_BACKEND
