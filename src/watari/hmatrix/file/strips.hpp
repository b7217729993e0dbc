/// Layout of a leaf's rows: the elements of D, or of U.
///
/// Rows are cut at each multiple of 32 rows of the matrix. Between two cuts they form strips of 8
/// rows; the last strip before a cut may have fewer. A strip has its columns one after the other,
/// and strips follow each other:
///
///     element (i, c) of w columns, in a strip of n rows from row s on:  s w + c n + (i - s)
///
/// So the rows of a GPU's tile are one run of bytes in each leaf: memory is read once, in whole
/// pieces. In a strip, 8 rows by 4 columns are a run for neighbouring threads of a GPU. A CPU keeps
/// the sums of 8 rows in registers, and reads forward.
#pragma once

#include <cstdint>

namespace watari::hmatrix {

/// Rows between two cuts, and rows of a strip.
inline constexpr std::uint32_t cut_rows = 32, strip_rows = 8;

struct strip {
    std::uint32_t first, rows;  ///< counted from the leaf's first row
};

/// The rows of a leaf, counted from the matrix's first one.
struct leaf_rows {
    std::uint32_t row, rows;

    /// The strip that has row i of the leaf.
    constexpr strip at(std::uint32_t i) const {
        const std::uint32_t cut = (row + i) / cut_rows * cut_rows;
        const std::uint32_t begin = cut > row ? cut - row : 0, end = cut - row + cut_rows;
        const std::uint32_t first = begin + (i - begin) / strip_rows * strip_rows;
        const std::uint32_t left = (end < rows ? end : rows) - first;
        return {first, left < strip_rows ? left : strip_rows};
    }

    /// Elements before element (i, c), in rows of `width` elements.
    constexpr std::uint64_t place(std::uint64_t width, std::uint32_t i, std::uint64_t c) const {
        const strip own = at(i);
        return own.first * width + c * own.rows + (i - own.first);
    }
};

}  // namespace watari::hmatrix
