/// The rows of a matrix, divided among ranks: each has a run of rows, in the order of the tree.
///
/// A cut lies between two clusters, so that no diagonal leaf is divided. The cuts balance the bytes
/// of the ranks; within a twentieth of a rank's share, a cut lies where the largest clusters meet.
/// Several ranks share a leaf that a cut crosses: each has its own rows of U, or of the entries,
/// and all of V.
#pragma once

#include "watari/hmatrix/tree/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace watari::hmatrix {

struct row_range {
    std::uint32_t first = 0, count = 0;

    std::uint32_t end() const { return first + count; }
    bool operator==(const row_range&) const = default;
};

/// Approximate bytes of a leaf, in double.
std::size_t expected_bytes(const block& leaf);

/// One range a rank, in the order of the rows. Throws usage_error if the matrix is too small to
/// give each rank rows.
std::vector<row_range> divided(const cluster_tree& tree, std::span<const block> leaves,
                               std::size_t ranks);

/// touching: the leaves that have rows of a range, in their order. within: only these rows of a
/// leaf, or of each leaf.
std::vector<block> touching(std::span<const block> leaves, row_range rows);
block within(block leaf, row_range rows);
std::vector<block> within(std::span<const block> leaves, row_range rows);

}  // namespace watari::hmatrix
