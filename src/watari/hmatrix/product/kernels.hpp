/// The kernels of a product y = A x, and of a block-Jacobi preconditioner.
///
/// A group is a run of consecutive leaves whose data are in memory: one batch, or all of the
/// matrix.
///
///     project      t_r = row r of V times x, for each rank of each low-rank leaf of the group
///     accumulate   y_i += row i of each leaf over it, in their order: D times x, or U times t
///
/// Bytes: each element of the matrix once, whatever the number of systems up to 8; t and x come
/// from the cache. Flops: 2 an element and system. A row's sum has 8 lanes that step by 8, then
/// halves onto halves (16 for V): so its bits depend on the row alone, and those of y on the order
/// of the leaves; not on batches, threads, or the processor.
#pragma once

#include "watari/core/dispatch.hpp"
#include "watari/hmatrix/file/format.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::hmatrix {

struct leaf_view {
    std::uint64_t offset;  ///< behind the data of the group
    std::uint32_t row, rows, column, columns;
    std::uint32_t rank;       ///< or `dense`
    std::uint32_t projected;  ///< of t: its first
};

/// Rows that one warp, or thread, sums: leaves [first, last) of `entries` lie over some of them.
struct tile {
    std::uint32_t row, rows, first, last;
};

struct group_view {
    const leaf_view* leaves;
    const std::uint32_t* projections;  ///< by element of t: its leaf
    const std::uint32_t* entries;      ///< leaves, in their order in each tile
    const tile* tiles;
    std::uint32_t projection_count, tile_count;
    std::uint64_t length;  ///< of x and y of one system
    std::uint64_t bytes;   ///< of the leaves
};

/// Inverses of diagonal blocks, row by row.
struct jacobi_view {
    const double* data;
    const std::uint64_t* offsets;        ///< by row: of its first element
    const std::uint32_t *first, *count;  ///< by row: the columns of its block
    std::uint64_t length;
};

/// Rows of a tile: those of some leaves, so that a thread reads runs of kilobytes; on a GPU those
/// of four warps.
inline constexpr std::uint32_t tile_rows_cpu = 64, tile_rows_gpu = 16;

/// t[s][projection] and y[s][row], x[s][column]. On a GPU they return before they are done.
template <class Element>
struct product_kernels {
    void (*project)(const group_view&, const std::byte* data, const double* x, double* t,
                    std::size_t systems, stream_t);
    void (*accumulate)(const group_view&, const std::byte* data, const double* x, const double* t,
                       double* y, std::size_t systems, stream_t);
};
struct vector_kernels {
    void (*clear)(double* y, std::size_t count, stream_t);
    /// z = M^-1 r. Reads the blocks once for each system.
    void (*jacobi)(const jacobi_view&, const double* r, double* z, std::size_t systems, stream_t);
};

}  // namespace watari::hmatrix

namespace watari::cpu {
template <class Element>
struct hmatrix_product {
    static const hmatrix::product_kernels<Element> table;
};
extern const hmatrix::vector_kernels hmatrix_vectors;
}  // namespace watari::cpu
namespace watari::gpu {
template <class Element>
struct hmatrix_product {
    static const hmatrix::product_kernels<Element> table;
};
extern const hmatrix::vector_kernels hmatrix_vectors;
}  // namespace watari::gpu

namespace watari::hmatrix {

/// The kernels of the backend that a processor runs. Throws unsupported.
template <class Element>
const product_kernels<Element>& product_on(processor who) {
    return dispatched<cpu::hmatrix_product<Element>::table, gpu::hmatrix_product<Element>::table>(
        who);
}
inline const vector_kernels& vectors_on(processor who) {
    return dispatched<cpu::hmatrix_vectors, gpu::hmatrix_vectors>(who);
}

}  // namespace watari::hmatrix
