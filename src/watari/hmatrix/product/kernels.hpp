/// The kernels of a product y = A x, and of a block-Jacobi preconditioner.
///
/// A batch is a run of consecutive leaves whose data are in memory: one that was read, or a part of
/// a matrix that is whole in memory.
///
///     t_r  = row r of V times x, for each rank of a low-rank leaf
///     y_i += row i of each leaf over it, in their order: D times x, or U times t
///
/// V lies row by row: an element of t is a sum along a row. D and U lie in strips of 8 rows, column
/// by column (strips.hpp): rows of a strip are summed side by side, by vectors of a CPU, or by
/// neighbouring threads of a warp.
///
/// Bytes: each element of the matrix once for up to 8 systems; t and x come from the cache. Flops:
/// 2 an element and system. A sum along a row has 8 lanes that step by 8, a sum down columns has 4;
/// the lanes are added up by halves. So the bits of a sum depend on the row alone, and those of y
/// on the order of the leaves, but not on batches, threads, or the processor.
///
/// multiply.cpp has the kernels of a CPU, multiply.cu those of a GPU, which have lists of their
/// own.
#pragma once

#include "watari/core/dispatch.hpp"
#include "watari/hmatrix/file/format.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::hmatrix {

struct leaf_view {
    std::uint64_t offset;  ///< bytes from the start of the batch's data
    std::uint32_t row, rows, column, columns;
    std::uint32_t rank;       ///< or `dense`
    std::uint32_t projected;  ///< index of its first element of t
};

/// Rows that are summed together. Items [first, last) of `entries`, or of `pieces`, are the leaves
/// that have some of these rows.
struct tile {
    std::uint32_t row, rows, first, last;
};

/// A row of V, from which an element of t is computed.
struct factor_row {
    std::uint64_t offset;  ///< bytes from the start of the batch's data
    std::uint32_t column, columns;
};

/// The rows of a leaf that lie in a tile: rows of U, multiplied by t, or of D, multiplied by x.
struct tile_piece {
    std::uint64_t offset;      ///< of the first element of its strips
    std::uint32_t width;       ///< columns
    std::uint32_t from;        ///< index of its first element of t or x
    std::uint8_t first, rows;  ///< in the tile
    bool is_dense;
};

/// The lists of a GPU's pass over a batch; see multiply.cu.
struct pass_view {
    const factor_row* rows;    ///< by element of t: the longest first
    const tile_piece* pieces;  ///< in the order of their leaves in each tile
};

struct batch_view {
    const leaf_view* leaves;  ///< for a CPU
    const tile* tiles;
    std::uint32_t projection_count, tile_count;
    std::uint64_t length;              ///< of x and y of one system
    std::uint64_t bytes;               ///< of the leaves
    const std::uint32_t* projections;  ///< for a CPU: the leaf of each element of t
    const std::uint32_t* entries;      ///< for a CPU: leaves, in their order in each tile
    pass_view pass;                    ///< for a GPU
};

/// Inverses of diagonal blocks, row by row.
struct jacobi_view {
    const double* data;
    const std::uint64_t* offsets;        ///< by row: of its first element
    const std::uint32_t *first, *count;  ///< by row: the columns of its block
    std::uint64_t length;
};

/// Rows of a tile. A CPU's tile has the rows of some leaves, so that a thread reads runs of
/// kilobytes; a GPU's tile has the rows of a block.
inline constexpr std::uint32_t tile_rows_cpu = 128, tile_rows_gpu = 32;
static_assert(tile_rows_cpu % cut_rows == 0 && tile_rows_gpu == cut_rows);  // whole strips
/// Systems that share one read of the elements.
inline constexpr std::size_t systems_at_once = 8;

/// y[s][row] += A x[s][column]. `scratch` has projection_count doubles for each of up to
/// systems_at_once systems. On a GPU it returns before it is done.
template <class Element>
struct product_kernels {
    void (*multiply)(const batch_view&, const std::byte* data, const double* x, double* scratch,
                     double* y, std::size_t systems, stream_t);
    static const product_kernels cpu, gpu;
};
struct vector_kernels {
    void (*clear)(double* y, std::size_t count, stream_t);
    /// z = M^-1 r. Reads the blocks once for each system.
    void (*jacobi)(const jacobi_view&, const double* r, double* z, std::size_t systems, stream_t);
    static const vector_kernels cpu, gpu;
};

/// Calls use.template operator()<S>(first) for runs of 8, 4, 2 or 1 systems.
template <class Use>
void for_each_run(std::size_t systems, const Use& use) {
    std::size_t first = 0;
    for (; systems - first >= 8; first += 8) use.template operator()<8>(first);
    if ((systems - first) & 4) use.template operator()<4>(first), first += 4;
    if ((systems - first) & 2) use.template operator()<2>(first), first += 2;
    if ((systems - first) & 1) use.template operator()<1>(first);
}

}  // namespace watari::hmatrix
