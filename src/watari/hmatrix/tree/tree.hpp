/// The tree of clusters of a surface's triangles, and the leaves that a matrix over it has.
///
/// A cluster's box holds its triangles' centroids; it is cut at the middle of its longest axis (the
/// first of equals; what lies on the cut goes left). A pair of clusters is low-rank when
/// min(diameter) <= eta distance and both have least_low_rank or more; otherwise dense when either
/// is not cut further or has least_low_rank or fewer; otherwise its four pairs of children. (The
/// public HACApK family's rules, whose counts of leaves are known.)
#pragma once

#include "watari/hmatrix/surface/panel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace watari::hmatrix {

inline constexpr std::uint32_t most_of_a_leaf = 15, least_low_rank = 16;

struct box {
    point low, high;
};
double diameter(const box& of);
double distance(const box& a, const box& b);

struct cluster {
    std::uint32_t first, count;  ///< of the triangles in the order of the tree
    std::uint32_t child[2];      ///< numbers of clusters; 0: it is not cut
    box around;
};

class cluster_tree {
public:
    explicit cluster_tree(std::span<const panel> panels);

    /// order()[i] is the number of the i-th triangle before.
    const std::vector<std::uint32_t>& order() const { return order_; }
    const std::vector<cluster>& clusters() const { return clusters_; }  ///< the root first

private:
    void cut(std::uint32_t number, std::span<const panel> panels);

    std::vector<std::uint32_t> order_;
    std::vector<cluster> clusters_;
};

/// A surface as a matrix sees it: its triangles in the order of the tree.
struct surface {
    explicit surface(const mesh& m);

    /// A checksum of the geometry: another mesh, or another order, has another one.
    std::uint64_t fingerprint() const;
    std::size_t size() const { return panels.size(); }

    cluster_tree tree;
    std::vector<panel> panels;
    std::vector<double> signs;  ///< +1 or -1, by which the potential is multiplied
};

/// Rows [row, row + rows) and columns [column, column + columns) in the order of the tree.
struct block {
    std::uint32_t row, rows, column, columns;
    bool admissible;  ///< may be low-rank

    std::uint64_t entries() const { return std::uint64_t{rows} * columns; }
};

/// The leaves of the matrix, depth first: the one order that all sums follow. Together they cover
/// each entry once. Throws usage_error unless eta > 0.
std::vector<block> leaves_of(const cluster_tree& tree, double eta);

}  // namespace watari::hmatrix
