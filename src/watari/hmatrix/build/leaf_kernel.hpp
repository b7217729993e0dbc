/// The kernel that makes leaves on a GPU: its arguments, and its results.
///
/// A block of threads, or a warp where a leaf is small, makes a leaf from its first entry to its
/// bytes in the file: approximation (cross.cuh), recompression (recompress.cuh), or its entries.
/// So no leaf waits for another one's step, and a chunk is one launch; leaves start with the
/// largest. Nobody knows their ranks before: memory for crosses, and for the leaves' bytes, is
/// taken from two pools as it is needed. A leaf that finds none is left unmade.
#pragma once

#include "watari/core/device.hpp"
#include "watari/hmatrix/build/leaf.hpp"
#include "watari/hmatrix/file/format.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::hmatrix {

/// What entries are computed from: see entry_table.
struct entry_view {
    panel_arrays arrays;
    const panel* panels;
    double thirty_six_from, seven_from, three_from;  ///< squares of distances, in sizes
};

/// `for_crosses` is the error of its approximation, `for_all` with its recompression, as norms.
struct leaf_task {
    block of;
    std::uint32_t number;  ///< of its result
    double for_crosses, for_all;
};

inline constexpr std::uint32_t unmade = dense - 1;  ///< as a rank: there was no room for the leaf

struct leaf_result {
    std::uint64_t offset;   ///< of its elements, in `out`
    std::uint64_t entries;  ///< that were computed
    std::uint32_t rank;     ///< or `dense`, or `unmade`
    std::uint32_t went_on;  ///< times that its approximation was continued from a reference
};

/// A pool, and how much of it is taken: more than there is once somebody found no room.
struct pool_view {
    std::byte* data;
    std::uint64_t bytes;
    std::uint64_t* taken;
};

struct leaves_view {
    entry_view entries;
    const leaf_task* tasks;  ///< those that a block makes, then those of a warp, largest first
    std::uint32_t count, of_blocks;
    leaf_result* results;
    pool_view work, out;
    bool recompress;
};

/// Admissible leaves with more rows and columns than this in all are made by a block.
inline std::uint32_t most_edges_of_a_warp = 512;

/// The bytes of a leaf, and where they go.
struct leaf_move {
    std::uint64_t from, to, bytes;  ///< multiples of leaf_unit
};

/// For elements of 4 bytes and of 8. They return before they are
/// done, and throw system_error.
struct leaf_kernels {
    void (*make_single)(const leaves_view&, stream_t);
    void (*make_double)(const leaves_view&, stream_t);
    /// Some leaves' bytes, to memory that the processor addresses.
    void (*move)(std::byte* to, const std::byte* from, const leaf_move* moves, std::uint32_t count,
                 stream_t);
};

}  // namespace watari::hmatrix

namespace watari::gpu {
extern const hmatrix::leaf_kernels hmatrix_leaves;
extern const hmatrix::leaf_kernels hmatrix_tries[3];
}  // namespace watari::gpu
