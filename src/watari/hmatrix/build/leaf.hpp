/// One leaf of a matrix of panel potentials: entry (i, j) is I(T_j, c_i), without 1/(4 pi eps0).
#pragma once

#include "watari/core/processor.hpp"
#include "watari/hmatrix/build/cross.hpp"
#include "watari/hmatrix/build/entries.hpp"
#include "watari/hmatrix/tree/division.hpp"
#include "watari/hmatrix/tree/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace watari::hmatrix {

struct build_options {
    double eps =
        1e-6;  ///< relative error of the matrix in the Frobenius norm; entries err eps / 10
    double eta = 2;
    bool recompress = true;
    bool single = false;          ///< elements of 4 bytes
    std::size_t chunk_bytes = 0;  ///< at most, about, of leaves that are made at once; 0: any
    std::size_t threads = 0;      ///< of the CPU; 0: as many as loops have
    processor who = the_cpu;      ///< that makes the leaves
    row_range rows{};             ///< of a rank; no rows: all
};

/// Bytes of a chunk of leaves within a budget: in memory are two, one that is made and one that is
/// written, or of a GPU four and a part. 0: any budget.
inline std::size_t chunk_within(std::size_t budget) { return budget == 0 ? 0 : budget / 5 + 1; }

struct made_leaf {
    std::uint32_t rank;  ///< or `dense`
    std::span<const std::byte> data;
    std::size_t entries = 0;  ///< that were computed
    std::size_t went_on = 0;  ///< times that ACA was continued from a reference
    std::unique_ptr<const std::vector<std::byte>> own{};  ///< of `data`; none: it is another's
};

/// The highest rank with which a leaf takes less than as a dense one, and that of its crosses
/// before recompression.
struct rank_limits {
    std::uint32_t paying, crosses;
};
constexpr rank_limits limits_of(const block& of, bool recompress) {
    const std::uint64_t edges = std::uint64_t{of.rows} + of.columns;
    const auto paying =  // rank x edges stays below the entries
        static_cast<std::uint32_t>((std::uint64_t{of.rows} * of.columns - 1) / edges);
    const std::uint32_t least = of.rows < of.columns ? of.rows : of.columns;
    return {paying, recompress && 2 * paying < least ? 2 * paying : recompress ? least : paying};
}

/// Of a leaf's share of the error, what its crosses may err, and what it may with recompression.
/// What both leave out is orthogonal, about: 0.3^2 + 0.9^2 < 1.
constexpr double part_of_crosses(bool recompress) { return recompress ? 0.3 : 0.9; }
inline constexpr double part_of_all = 0.9;

class leaf_maker {
public:
    /// Panels in the order of the tree, which outlive it. Throws usage_error unless
    /// 1e-11 <= eps < 1.
    leaf_maker(std::span<const panel> panels, const build_options& how);

    /// `tolerance` is the leaf's share of the error, in the Frobenius norm.
    made_leaf make(const block& of, double tolerance) const;

    /// Some rows of a leaf that was made of another block: the bits that they have in it.
    made_leaf rows_of(const made_leaf& leaf, const block& from, const block& part) const;

    /// The Frobenius norm of the matrix, from some of its rows, by all threads.
    double norm() const;

    const entry_table& entries() const { return entries_; }

    /// Entry by entry.
    double entry(std::size_t i, std::size_t j) const { return entries_.one(i, j); }
    void row(const block& of, std::size_t i, double* to) const {
        entries_.row(of.row + i, of.column, of.columns, to);
    }
    void column(const block& of, std::size_t j, double* to) const {
        entries_.column(of.column + j, of.row, of.rows, to);
    }

private:
    made_leaf make_dense(const block& of) const;
    /// Without data where its rank is above `paying`.
    made_leaf of_crosses(const block& of, const crosses& crossed, std::size_t paying,
                         double tolerance) const;

    std::span<const panel> panels_;
    build_options how_;
    entry_table entries_;
};

}  // namespace watari::hmatrix
