/// core/parallel/warp.hpp for a GPU: the threads of a warp that are at one place. The same as a
/// coalesced group of cooperative groups, whose headers take nvcc seconds for each file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace watari::gpu {

struct group {
    unsigned lanes;  ///< of the warp, a bit each

    __device__ static group active() { return {__activemask()}; }
    /// Of these threads, those that name the same thing.
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
    /// Of integers, which may be added in any order.
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
    /// How many threads in a row, from rank 0 on, say yes.
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

/// Loads of a thread that are to be under way at once, since memory is far.
inline constexpr unsigned loads_under_way = 8;

__device__ inline bool aligned(const void* a, const void* b) {
    return (reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b)) % 16 == 0;
}

/// Whether it is memory that others than this block's threads know by the same address.
__device__ inline bool is_global(const void* memory) { return __isGlobal(memory) != 0; }

/// Copies bytes by all threads of a group, who pass the same values.
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

/// Copies as many bytes of each of a group's first `owners` threads, whole pieces of 16, by all of
/// them: piece after piece of one thread's after the other's, so that small blocks of several are
/// under way at once.
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

/// Copies the bytes of each thread of a group, 0 or more, by all of them.
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

/// A number of this warp, by which work is spread.
__device__ inline unsigned warp_number() {
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
    return blockIdx.x * warps + thread / 32;
}

}  // namespace watari::gpu
