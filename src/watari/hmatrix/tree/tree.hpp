/// The cluster tree of a surface's triangles, and the leaves of the matrix over it.
///
/// A cluster's box holds its triangles' centroids. The box is cut at the middle of its longest axis
/// (the first of equal axes); a centroid on the cut goes left. A pair of clusters is low-rank when
/// min(diameter) <= eta distance and both have least_low_rank or more. Otherwise it is dense when
/// either cluster is not cut further or has least_low_rank or fewer. Otherwise its four pairs of
/// children follow these rules. (They are those of the public HACApK family, whose counts of leaves
/// are known.)
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

    /// order()[i] is the number, in the mesh, of the tree's i-th triangle.
    const std::vector<std::uint32_t>& order() const { return order_; }
    const std::vector<cluster>& clusters() const { return clusters_; }  ///< the root first

private:
    void cut(std::uint32_t number, std::span<const panel> panels);

    std::vector<std::uint32_t> order_;
    std::vector<cluster> clusters_;
};

/// A surface with its triangles in the order of the tree.
struct surface {
    explicit surface(const mesh& m);

    /// A checksum of the geometry; it differs for another mesh or another order of triangles.
    std::uint64_t fingerprint() const;
    std::size_t size() const { return panels.size(); }

    cluster_tree tree;
    std::vector<panel> panels;
    std::vector<double> signs;  ///< factors of the potential, +1 or -1
};

/// Rows [row, row + rows) and columns [column, column + columns) in the order of the tree.
struct block {
    std::uint32_t row, rows, column, columns;
    bool admissible;  ///< may be low-rank

    std::uint64_t entries() const { return std::uint64_t{rows} * columns; }
};

/// The leaves of the matrix, depth first: all sums follow this order. The leaves cover each entry
/// once. Throws usage_error unless eta > 0.
std::vector<block> leaves_of(const cluster_tree& tree, double eta);

}  // namespace watari::hmatrix
