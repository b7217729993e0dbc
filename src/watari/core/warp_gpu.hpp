/// core/warp.hpp for a GPU: the threads of a warp that are at one place, by cooperative groups.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>
#include <cstdint>

namespace watari::gpu {

struct group {
    cooperative_groups::coalesced_group threads;

    __device__ static group active() { return {cooperative_groups::coalesced_threads()}; }
    /// Of these threads, those that name the same thing.
    __device__ static group together(const void* thing) {
        return {cooperative_groups::labeled_partition(cooperative_groups::coalesced_threads(),
                                                      reinterpret_cast<unsigned long long>(thing))};
    }
    __device__ unsigned rank() const { return threads.thread_rank(); }
    __device__ unsigned size() const { return threads.size(); }
    __device__ bool leads() const { return rank() == 0; }
    template <class Value>
    __device__ Value broadcast(Value value, unsigned from = 0) const {
        return threads.shfl(value, from);
    }
    __device__ bool all(bool condition) const { return threads.all(condition); }
    /// How many threads in a row, from rank 0 on, say yes.
    __device__ unsigned leading(bool condition) const {
        const unsigned no = ~threads.ballot(condition);
        return no == 0 ? 32 : __ffs(static_cast<int>(no)) - 1;
    }
    __device__ void sync() const { threads.sync(); }
};

/// Copies bytes by all threads of a group, who pass the same values: eight loads a thread are under
/// way at once, since memory of the CPU is far.
__device__ inline void copy_bytes(const group& lanes, void* to, const void* from,
                                  std::size_t bytes) {
    constexpr unsigned batch = 8;
    const unsigned size = lanes.size(), rank = lanes.rank();
    std::size_t whole = 0;
    if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 16 == 0) {
        whole = bytes / 16;
        auto* target = static_cast<uint4*>(to);
        const auto* source = static_cast<const uint4*>(from);
        for (std::size_t first = rank; first < whole; first += std::size_t{batch} * size) {
            uint4 value[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (first + b * size < whole) value[b] = source[first + b * size];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (first + b * size < whole) target[first + b * size] = value[b];
        }
    }
    for (std::size_t i = 16 * whole + rank; i < bytes; i += size)
        static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
}

/// A number of this warp, by which work is spread.
__device__ inline unsigned warp_number() {
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
    return blockIdx.x * warps + thread / 32;
}

}  // namespace watari::gpu
