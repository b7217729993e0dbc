/// The kernel that makes leaves on a GPU: its arguments, and its results.
///
/// A block of threads, or a warp for a small or dense leaf, makes a leaf from its first entry to
/// its bytes in the file: approximation (cross.cuh) and recompression (recompress.cuh), or all
/// entries. So no leaf waits for a step of another leaf, and a chunk is one launch; the largest
/// leaves start first. Ranks are not known in advance: memory for crosses, and for the leaves'
/// bytes, is taken from two pools on demand. A leaf without room in a pool stays unmade.
#pragma once

#include "watari/core/device.hpp"
#include "watari/hmatrix/build/leaf.hpp"
#include "watari/hmatrix/file/format.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::hmatrix {

/// The inputs of entries: see entry_table.
struct entry_view {
    panel_arrays arrays;
    const panel* panels;
    double thirty_six_from, seven_from, three_from;  ///< squares of distances, in sizes
};

/// `for_crosses` and `for_all` are the allowed errors of approximation and of recompression, as
/// norms.
struct leaf_task {
    block of;
    std::uint32_t number;  ///< index of its result
    double for_crosses, for_all;
};

inline constexpr std::uint32_t unmade = dense - 1;  ///< rank of a leaf without room

struct leaf_result {
    std::uint64_t offset;   ///< of its elements, in `out`
    std::uint64_t entries;  ///< computed entries
    std::uint32_t rank;     ///< or `dense`, or `unmade`
    std::uint32_t went_on;  ///< times that its approximation was continued from a reference
};

/// A pool, and the bytes taken of it: more than `bytes` once a request found no room.
struct pool_view {
    std::byte* data;
    std::uint64_t bytes;
    std::uint64_t* taken;
};

struct leaves_view {
    entry_view entries;
    const leaf_task* tasks;  ///< for blocks, then for warps; the largest of each first
    std::uint32_t count, of_blocks;
    leaf_result* results;
    pool_view work, out;
    bool recompress;
};

/// A block makes the admissible leaves whose rows + columns exceed this.
inline constexpr std::uint32_t most_edges_of_a_warp = 256;

/// A copy of a leaf's bytes: offsets of source and target, and size.
struct leaf_move {
    std::uint64_t from, to, bytes;  ///< multiples of leaf_unit
};

/// The kernels for elements of 4 bytes and of 8. They return before they are done, and throw
/// system_error.
struct leaf_kernels {
    void (*make_single)(const leaves_view&, stream_t);
    void (*make_double)(const leaves_view&, stream_t);
    /// Copies the bytes of `count` leaves to memory that the processor addresses.
    void (*move)(std::byte* to, const std::byte* from, const leaf_move* moves, std::uint32_t count,
                 stream_t);
};

}  // namespace watari::hmatrix

namespace watari::gpu {
extern const hmatrix::leaf_kernels hmatrix_leaves;
}  // namespace watari::gpu
