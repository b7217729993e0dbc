/// A thread's place in its block, and what threads of a warp give each other, for kernels that
/// launch() of core/loops.hpp starts with blocks of one axis. A warp has lanes_of_warp consecutive
/// threads of a block, its lanes.
#pragma once

#include "watari/core/backend.hpp"

namespace watari::gpu {

inline constexpr unsigned lanes_of_warp = row_lanes;

WATARI_INLINE unsigned block_in_grid() { return blockIdx.x; }
WATARI_INLINE unsigned thread_in_block() { return threadIdx.x; }

/// Waits for all threads of the warp; their writes before are then visible to each other.
WATARI_INLINE void sync_warp() { __syncwarp(); }

/// The value of the thread whose lane differs in the bits `lanes`.
template <class Value>
WATARI_INLINE Value exchanged(Value value, unsigned lanes) {
    return __shfl_xor_sync(~0u, value, lanes);
}

/// The value of the thread that is `lanes` lanes above, where there is one.
template <class Value>
WATARI_INLINE Value from_above(Value value, unsigned lanes) {
    return __shfl_down_sync(~0u, value, lanes);
}

/// The one value of this type that the threads of a block share.
template <class Value>
WATARI_INLINE Value& shared_in_block() {
    __shared__ Value value;
    return value;
}

}  // namespace watari::gpu
