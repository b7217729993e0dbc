/// Adaptive cross approximation (Bebendorf 2000): a block as a sum of crosses of its residual, from
/// some of its rows and columns.
///
///     v = row i of the residual; j where |v_j| is largest; v /= v_j; u = column j of the residual
///     stop when |u| |v| <= tolerance, or rounding of the largest one; else i where |u_i| is
///     largest
///
/// The tolerance is absolute: the block's share of the allowed error of the whole matrix, whose
/// Frobenius norm is known. (A tolerance relative to the block's own running norm would store
/// distant blocks to more digits than the matrix has.)
///
/// Partial pivoting alone may miss a part of the block that no cross has touched. So, as in ACA+
/// (Grasedyck 2005), a reference row and a reference column of the residual are checked before the
/// algorithm stops. If one is too large, the algorithm continues from there.
///
/// Entries: rank + 1 rows and columns, or more where it continued from a reference. Flops: 2 rank^2
/// (rows + columns).
#pragma once

#include "watari/hmatrix/build/factors.hpp"

#include <cstddef>
#include <functional>
#include <optional>

namespace watari::hmatrix {

/// The entries of a block.
struct block_entries {
    std::size_t rows, columns;
    std::function<void(std::size_t i, double*to)> row, column;
};

struct crosses {
    std::optional<factors> found{};  ///< none: the rank would be above `most`
    std::size_t went_on = 0;         ///< times that it continued from a reference
};

/// `tolerance` is in the Frobenius norm.
crosses cross_approximation(const block_entries& of, double tolerance, std::size_t most);

}  // namespace watari::hmatrix
