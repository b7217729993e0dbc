/// One leaf of a matrix of panel potentials: entry (i, j) is I(T_j, c_i), without 1/(4 pi eps0).
#pragma once

#include "watari/hmatrix/surface/panel.hpp"
#include "watari/hmatrix/tree/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace watari::hmatrix {

struct build_options {
    double eps = 1e-6;  ///< relative error of a leaf in the Frobenius norm; entries err eps / 10
    double eta = 2;
    bool recompress = true;
    bool single = false;                              ///< elements of 4 bytes
    std::size_t batch_bytes = std::size_t{4} << 20;   ///< of a batch, where it has several leaves
    std::size_t chunk_bytes = std::size_t{16} << 20;  ///< about, of leaves that are made at once
    std::size_t threads = 0;                          ///< 0: as many as loops have
};

struct made_leaf {
    std::uint32_t rank;  ///< or `dense`
    std::vector<std::byte> data;
    std::size_t entries = 0;  ///< that were computed
    std::size_t went_on = 0;  ///< times that ACA was continued from a reference
};

class leaf_maker {
public:
    /// Panels in the order of the tree, which outlive it. Throws usage_error unless
    /// 1e-11 <= eps < 1.
    leaf_maker(std::span<const panel> panels, const build_options& how);

    made_leaf make(const block& of) const;

    /// Entry by entry.
    double entry(std::size_t i, std::size_t j) const {
        return potential_(panels_[j], panels_[i].centroid);
    }
    void row(const block& of, std::size_t i, double* to) const;
    void column(const block& of, std::size_t j, double* to) const;

private:
    made_leaf make_dense(const block& of) const;
    made_leaf packed(const block& of, const std::vector<double>& values) const;

    std::span<const panel> panels_;
    build_options how_;
    potential potential_;
};

}  // namespace watari::hmatrix
