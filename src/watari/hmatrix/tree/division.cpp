#include "watari/hmatrix/tree/division.hpp"

#include "watari/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

namespace watari::hmatrix {

namespace {

constexpr std::size_t expected_rank = 24;
constexpr double may_move = 1.0 / 20;  ///< of a rank's share, to cut between larger clusters

/// Bytes of the leaves before each row; the last element is their total.
std::vector<double> bytes_before(std::size_t rows, std::span<const block> leaves) {
    std::vector<double> change(rows + 1), before(rows + 1);
    for (const block& leaf : leaves) {
        const double each = static_cast<double>(expected_bytes(leaf)) / leaf.rows;
        change[leaf.row] += each;
        change[leaf.row + leaf.rows] -= each;
    }
    double row = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        row += change[i];
        before[i + 1] = before[i] + row;
    }
    return before;
}

/// Rows at which two clusters meet, the largest clusters first (the tree's order); none cuts a
/// diagonal leaf.
std::vector<std::uint32_t> boundaries(const cluster_tree& tree) {
    std::vector<std::uint32_t> all;
    for (const cluster& one : tree.clusters())
        if (one.child[1] && one.count > least_low_rank)
            all.push_back(tree.clusters()[one.child[1]].first);
    return all;
}

/// The first boundary within `near` bytes of a place, or else the nearest one.
std::uint32_t cut_at(double place, double near, std::span<const std::uint32_t> boundaries,
                     std::span<const double> before) {
    std::uint32_t best = 0;
    for (const std::uint32_t row : boundaries) {
        const double away = std::abs(before[row] - place);
        if (away <= near) return row;
        if (best == 0 || away < std::abs(before[best] - place)) best = row;
    }
    return best;
}

}  // namespace

std::size_t expected_bytes(const block& leaf) {
    const std::size_t low = expected_rank * (std::size_t{leaf.rows} + leaf.columns);
    return 8 * (leaf.admissible ? std::min<std::size_t>(leaf.entries(), low) : leaf.entries());
}

std::vector<row_range> divided(const cluster_tree& tree, std::span<const block> leaves,
                               std::size_t ranks) {
    const std::size_t rows = tree.order().size();
    const std::vector<double> before = bytes_before(rows, leaves);
    const std::vector<std::uint32_t> candidates = boundaries(tree);
    const double share = before.back() / static_cast<double>(ranks);
    std::vector<row_range> all;
    std::uint32_t first = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        const bool last = rank + 1 == ranks;
        const std::uint32_t end = last ? static_cast<std::uint32_t>(rows)
                                       : cut_at(static_cast<double>(rank + 1) * share,
                                                may_move * share, candidates, before);
        if (end <= first)
            throw usage_error("a matrix of " + std::to_string(rows) +
                              " rows is too small to be divided among " + std::to_string(ranks) +
                              " ranks");
        all.push_back({first, end - first});
        first = end;
    }
    return all;
}

std::vector<block> touching(std::span<const block> leaves, row_range rows) {
    std::vector<block> some;
    std::ranges::copy_if(leaves, std::back_inserter(some), [=](const block& leaf) {
        return leaf.row < rows.end() && rows.first < leaf.row + leaf.rows;
    });
    return some;
}

block within(block leaf, row_range rows) {
    const std::uint32_t first = std::max(leaf.row, rows.first);
    leaf.rows = std::min(leaf.row + leaf.rows, rows.end()) - first;
    leaf.row = first;
    return leaf;
}

std::vector<block> within(std::span<const block> leaves, row_range rows) {
    std::vector<block> some(leaves.begin(), leaves.end());
    for (block& leaf : some) leaf = within(leaf, rows);
    return some;
}

}  // namespace watari::hmatrix
