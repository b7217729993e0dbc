/// Adaptive cross approximation (Bebendorf 2000): a block as a sum of crosses of its residual, from
/// some of its rows and columns.
///
///     v = row i of the residual; j where |v_j| is largest; v /= v_j; u = column j of the residual
///     |S|^2 += 2 sum over l of <u_l,u><v_l,v> + |u|^2 |v|^2        the running Frobenius norm
///     stop when |u| |v| <= eps |S|; else i where |u_i| is largest
///
/// Partial pivoting alone may miss a part of the block that no cross has touched. So, as in ACA+
/// (Grasedyck 2005), a reference row and a reference column of the residual are looked at before it
/// stops; where one is too large, it goes on from there.
///
/// Entries: rank + 1 rows and columns, or more where it went on. Flops: 2 rank^2 (rows + columns).
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
    std::size_t went_on = 0;         ///< times that a reference showed more
};

crosses cross_approximation(const block_entries& of, double eps, std::size_t most);

}  // namespace watari::hmatrix
