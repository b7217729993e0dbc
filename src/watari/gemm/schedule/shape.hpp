/// C = alpha A B + beta C in numbers: the three matrices, and the square tiles they are cut into.
#pragma once

#include "watari/core/precision.hpp"

#include <algorithm>
#include <cstddef>

namespace watari::gemm {

enum class matrix { a, b, c };

/// A has m x k elements, B k x n, C m x n; row-major.
struct shape {
    std::size_t m, n, k;

    constexpr double flops() const {
        return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    }
};

constexpr std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// One matrix cut into tiles of `tile` x `tile` elements, which are smaller at its lower and right
/// edge.
struct tiling {
    std::size_t rows, columns;  ///< elements
    std::size_t tile;           ///< elements along an edge, at least 1

    constexpr std::size_t tile_rows() const { return divide_up(rows, tile); }
    constexpr std::size_t tile_columns() const { return divide_up(columns, tile); }
    constexpr std::size_t tiles() const { return tile_rows() * tile_columns(); }
    /// Elements in tile row i / tile column j.
    constexpr std::size_t rows_of(std::size_t i) const { return std::min(tile, rows - i * tile); }
    constexpr std::size_t columns_of(std::size_t j) const {
        return std::min(tile, columns - j * tile);
    }
};

/// Tiles [first, first + count) of a tile row.
struct run_of_tiles {
    std::size_t first, count;
};

constexpr tiling tiling_of(matrix which, shape size, std::size_t tile) {
    if (which == matrix::a) return {size.m, size.k, tile};
    if (which == matrix::b) return {size.k, size.n, tile};
    return {size.m, size.n, tile};
}

}  // namespace watari::gemm
