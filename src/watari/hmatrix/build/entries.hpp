/// Entries of the matrix in runs: entry (i, j) is I(T_j, c_i), by a rule of panel.hpp.
///
/// A run is cut into pieces of a few entries. Where all of a piece are far enough for a rule of 7
/// points or fewer, vectors of the processor take them together; those that are nearer are computed
/// one by one. Flops: 8 a point, and a root and a quotient. Memory: 14 doubles a panel.
#pragma once

#include "watari/hmatrix/surface/rules.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace watari::hmatrix {

inline constexpr std::size_t entry_piece = 16, values_of_a_panel = 14;

/// Panels whose values lie one array after the other, of n elements each, in any memory.
panel_arrays panel_arrays_in(const double* values, std::size_t n);

class entry_table {
public:
    /// Panels outlive it. Throws usage_error unless 1e-12 <= tolerance < 1.
    entry_table(std::span<const panel> panels, double tolerance);

    /// to[k] = entry (i, first + k), for k < count.
    void row(std::size_t i, std::size_t first, std::size_t count, double* to) const;
    /// to[k] = entry (first + k, j), for k < count.
    void column(std::size_t j, std::size_t first, std::size_t count, double* to) const;

    /// One entry, by the cheapest rule that has the tolerance.
    double one(std::size_t i, std::size_t j) const {
        return potential_(panels_[j], panels_[i].centroid);
    }

    /// What entries are computed from, for another processor: panels, the values of
    /// panel_arrays_in, and the squares of the distances, in sizes, from which rules are used.
    std::span<const panel> panels() const { return panels_; }
    std::span<const double> values() const { return values_; }
    double from(std::size_t rule) const { return potential_.from(rule); }

private:
    template <bool Row>
    void run(std::size_t i, std::size_t j, std::size_t count, double* to) const;

    std::span<const panel> panels_;
    potential potential_;
    double seven_from_, three_from_;  ///< squares of distances, in sizes
    std::vector<double> values_;
};

}  // namespace watari::hmatrix
