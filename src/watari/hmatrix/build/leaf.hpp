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
        1e-6;  ///< relative error of the matrix in the Frobenius norm; that of an entry is eps / 10
    double eta = 2;
    bool recompress = true;
    bool single = false;          ///< elements of 4 bytes
    std::size_t chunk_bytes = 0;  ///< approximate limit of the leaves made at once; 0: none
    std::size_t threads = 0;      ///< of the CPU; 0: as many as loops have
    processor who = the_cpu;      ///< makes the leaves
    row_range rows{};             ///< of a rank; none: all
};

/// Bytes of a chunk of leaves within a budget; 0: no limit. Memory holds two chunks, one that is
/// made and one that is written; with a GPU four and a part.
inline std::size_t chunk_within(std::size_t budget) { return budget == 0 ? 0 : budget / 5 + 1; }

struct made_leaf {
    std::uint32_t rank;  ///< or `dense`
    std::span<const std::byte> data;
    std::size_t entries = 0;  ///< computed entries
    std::size_t went_on = 0;  ///< times that ACA was continued from a reference
    std::unique_ptr<const std::vector<std::byte>> own{};  ///< null: `data` has another owner
};

/// paying: the highest rank with which a leaf takes less than as a dense one. crosses: the highest
/// rank of its crosses, before recompression.
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

/// Parts of a leaf's share of the error: the error of its crosses, and that of recompression. The
/// two errors are about orthogonal: 0.3^2 + 0.9^2 < 1.
constexpr double part_of_crosses(bool recompress) { return recompress ? 0.3 : 0.9; }
inline constexpr double part_of_all = 0.9;

class leaf_maker {
public:
    /// The panels, in the order of the tree, must outlive the maker. Throws usage_error unless
    /// 1e-11 <= eps < 1.
    leaf_maker(std::span<const panel> panels, const build_options& how);

    /// `tolerance` is the leaf's share of the error, in the Frobenius norm.
    made_leaf make(const block& of, double tolerance) const;

    /// The rows `part` of a leaf that was made of the block `from`, with the same bits.
    made_leaf rows_of(const made_leaf& leaf, const block& from, const block& part) const;

    /// Estimates the Frobenius norm of the matrix from some of its rows, by all threads.
    double norm() const;

    const entry_table& entries() const { return entries_; }

    /// Entries of the matrix: one, or a row or a column of a block.
    double entry(std::size_t i, std::size_t j) const { return entries_.one(i, j); }
    void row(const block& of, std::size_t i, double* to) const {
        entries_.row(of.row + i, of.column, of.columns, to);
    }
    void column(const block& of, std::size_t j, double* to) const {
        entries_.column(of.column + j, of.row, of.rows, to);
    }

private:
    made_leaf make_dense(const block& of) const;
    /// Returns a leaf without data if no rank up to `paying` suffices.
    made_leaf of_crosses(const block& of, const crosses& crossed, std::size_t paying,
                         double tolerance) const;

    std::span<const panel> panels_;
    build_options how_;
    entry_table entries_;
};

}  // namespace watari::hmatrix
