/// Entries of the matrix in runs: entry (i, j) is I(T_j, c_i), by a rule of panel.hpp.
///
/// A run is cut into pieces of 16 entries. Vectors of the processor compute a piece by the rule of
/// 3 points if all entries are far enough for it, else by that of 7 points. Entries that are too
/// near for 7 points are computed one by one. Flops: 8 a point, and a root and a quotient. Memory:
/// 14 doubles a panel.
#pragma once

#include "watari/hmatrix/surface/rules.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace watari::hmatrix {

inline constexpr std::size_t entry_piece = 16, values_of_a_panel = 14;

/// The arrays of panels, of n elements each, that follow each other from `values` on, in any
/// memory.
panel_arrays panel_arrays_in(const double* values, std::size_t n);

class entry_table {
public:
    /// The panels must outlive the table. Throws usage_error unless 1e-12 <= tolerance < 1.
    entry_table(std::span<const panel> panels, double tolerance);

    /// to[k] = entry (i, first + k), for k < count.
    void row(std::size_t i, std::size_t first, std::size_t count, double* to) const;
    /// to[k] = entry (first + k, j), for k < count.
    void column(std::size_t j, std::size_t first, std::size_t count, double* to) const;

    /// One entry, by the cheapest rule that has the tolerance.
    double one(std::size_t i, std::size_t j) const {
        return potential_(panels_[j], panels_[i].centroid);
    }

    /// The inputs of entries, for another processor: panels, the values of panel_arrays_in, and the
    /// square of the distance, in sizes, from which a rule is used.
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
