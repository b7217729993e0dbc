/// core/parallel/warp.hpp for a GPU: the threads of a warp that are at one place. The same as a
/// coalesced group of cooperative groups, whose headers cost nvcc seconds per file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace watari::gpu {

struct group {
    unsigned lanes;  ///< threads of the warp, one bit each

    __device__ static group active() { return {__activemask()}; }
    /// The active threads that pass the same `thing`.
    __device__ static group together(const void* thing) {
        return {__match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(thing))};
    }
    __device__ unsigned rank() const {
        unsigned before;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
        return __popc(lanes & before);
    }
    __device__ unsigned size() const { return __popc(lanes); }
    __device__ bool leads() const { return rank() == 0; }
    template <class Value>
    __device__ Value broadcast(Value value, unsigned from = 0) const {
        const unsigned lane = lane_of(from);
        unsigned words[(sizeof value + 3) / 4] = {};  // what a shuffle takes at a time
        memcpy(words, &value, sizeof value);
        for (unsigned& word : words) word = __shfl_sync(lanes, word, lane);
        memcpy(&value, words, sizeof value);
        return value;
    }
    /// The sum over the group. Only for integers: the order of the additions varies.
    template <class Value>
    __device__ Value sum(Value value) const {
        if (size() == 32) {
            for (unsigned half = 16; half > 0; half /= 2) value += broadcast(value, rank() ^ half);
            return value;
        }
        Value total{};
        for (unsigned other = 0; other < size(); ++other) total += broadcast(value, other);
        return total;
    }
    __device__ bool all(bool condition) const { return __all_sync(lanes, condition) != 0; }
    /// Number of consecutive threads, from rank 0 on, whose condition is true.
    __device__ unsigned leading(bool condition) const {
        const unsigned no = lanes & ~__ballot_sync(lanes, condition);
        return __popc(no == 0 ? lanes : lanes & ((no & -no) - 1));
    }
    __device__ void sync() const { __syncwarp(lanes); }

private:
    __device__ unsigned lane_of(unsigned rank) const {
        return rank == 0      ? __ffs(static_cast<int>(lanes)) - 1
               : size() == 32 ? rank
                              : __fns(lanes, 0, static_cast<int>(rank) + 1);
    }
};

/// Loads that a thread keeps in flight at once, since memory is far.
inline constexpr unsigned loads_under_way = 8;

__device__ inline bool aligned(const void* a, const void* b) {
    return (reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b)) % 16 == 0;
}

/// Whether threads of other blocks know this memory by the same address.
__device__ inline bool is_global(const void* memory) { return __isGlobal(memory) != 0; }

/// Copies bytes with all threads of a group, which pass the same values.
__device__ inline void copy_bytes(const group& lanes, void* to, const void* from,
                                  std::size_t bytes) {
    const unsigned size = lanes.size(), rank = lanes.rank();
    std::size_t whole = 0;
    if (aligned(to, from)) {
        whole = bytes / 16;
        auto* target = static_cast<uint4*>(to);
        const auto* source = static_cast<const uint4*>(from);
        for (std::size_t first = rank; first < whole;
             first += std::size_t{loads_under_way} * size) {
            uint4 value[loads_under_way];
#pragma unroll
            for (unsigned b = 0; b < loads_under_way; ++b)
                if (first + b * size < whole) value[b] = source[first + b * size];
#pragma unroll
            for (unsigned b = 0; b < loads_under_way; ++b)
                if (first + b * size < whole) target[first + b * size] = value[b];
        }
    }
    for (std::size_t i = 16 * whole + rank; i < bytes; i += size)
        static_cast<unsigned char*>(to)[i] = static_cast<const unsigned char*>(from)[i];
}

/// Makes a copy for each of a group's first `owners` threads, of `bytes` each, a multiple of 16,
/// with all threads. The pieces of 16 bytes of one owner follow those of another, so that small
/// copies of several owners are in flight at once.
__device__ inline void copy_pieces(const group& lanes, unsigned owners, void* to, const void* from,
                                   unsigned bytes) {
    const unsigned size = lanes.size(), each = bytes / 16, all = each * owners;
    for (unsigned base = 0; base < all; base += loads_under_way * size) {
        uint4 value[loads_under_way];
#pragma unroll
        for (unsigned b = 0; b < loads_under_way; ++b) {
            const unsigned i = base + b * size + lanes.rank(), owner = i < all ? i / each : 0;
            const auto* source = static_cast<const uint4*>(lanes.broadcast(from, owner));
            if (i < all) value[b] = source[i % each];
        }
#pragma unroll
        for (unsigned b = 0; b < loads_under_way; ++b) {
            const unsigned i = base + b * size + lanes.rank(), owner = i < all ? i / each : 0;
            auto* target = static_cast<uint4*>(lanes.broadcast(to, owner));
            if (i < all) target[i % each] = value[b];
        }
    }
}

/// Makes the copy of each thread of a group, 0 bytes or more, with all of its threads.
__device__ inline void copy_each(const group& lanes, void* to, const void* from,
                                 std::size_t bytes) {
    const unsigned owners = lanes.leading(bytes > 0);
    const std::size_t first = lanes.broadcast(bytes);
    const bool alike = lanes.rank() < owners ? bytes == first && aligned(to, from) : bytes == 0;
    if (lanes.all(alike && first % 16 == 0 && first <= 16 * 32 * loads_under_way)) {
        copy_pieces(lanes, owners, to, from, static_cast<unsigned>(first));
    } else {
        for (unsigned lane = 0; lane < lanes.size(); ++lane)
            copy_bytes(lanes, lanes.broadcast(to, lane), lanes.broadcast(from, lane),
                       lanes.broadcast(bytes, lane));
    }
    lanes.sync();
}

/// A number of this warp, used to spread work.
__device__ inline unsigned warp_number() {
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
    return blockIdx.x * warps + thread / 32;
}

}  // namespace watari::gpu
