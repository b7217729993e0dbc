#include "watari/hmatrix/build/cross.hpp"

#include "watari/hmatrix/build/vectors.hpp"

#include <algorithm>
#include <cmath>

namespace watari::hmatrix {

namespace {

constexpr std::size_t none = ~std::size_t{0};
constexpr double rounding = 1e-15;

/// Index of the largest, or smallest, absolute value among those that were no pivot; or none.
std::size_t largest(const std::vector<double>& values, const std::vector<bool>& used) {
    std::size_t best = none;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!used[i] && (best == none || std::abs(values[i]) > std::abs(values[best]))) best = i;
    return best;
}
std::size_t smallest(const double* values, const std::vector<bool>& used) {
    std::size_t best = none;
    for (std::size_t i = 0; i < used.size(); ++i)
        if (!used[i] && (best == none || std::abs(values[i]) < std::abs(values[best]))) best = i;
    return best;
}

class approximation {
public:
    approximation(const block_entries& of, double tolerance, std::size_t most)
        : of_(of),
          allowed_(tolerance * tolerance),
          most_(most),
          row_(of.columns),
          column_(of.rows),
          used_row_(of.rows),
          used_column_(of.columns),
          found_{of.rows, of.columns} {}

    crosses run() {
        crosses result;
        std::size_t i = 0;
        while (i != none) {
            residual_row(i);
            used_row_[i] = true;
            const std::size_t j = largest(row_, used_column_);
            if (j == none) break;
            if (row_[j] == 0) {
                i = next_row();
                continue;
            }
            if (found_.rank == most_) return result;
            const bool small = add(j);
            if (!small) {
                i = largest(column_, used_row_);
            } else if (i = reference(); i != none) {
                ++result.went_on;
            }
        }
        result.found = std::move(found_);
        return result;
    }

private:
    const double* u(std::size_t r) const { return found_.u.data() + r * of_.rows; }
    const double* v(std::size_t r) const { return found_.v.data() + r * of_.columns; }

    void residual_row(std::size_t i) {
        of_.row(i, row_.data());
        subtract_all(row_.data(), found_.u.data() + i, of_.rows, found_.v.data(), found_.rank,
                     of_.columns);
    }
    void residual_column(std::size_t j) {
        of_.column(j, column_.data());
        subtract_all(column_.data(), found_.v.data() + j, of_.columns, found_.u.data(), found_.rank,
                     of_.rows);
    }

    /// Adds the cross of row_ and column j; returns whether it is small enough to stop.
    bool add(std::size_t j) {
        residual_column(j);
        used_column_[j] = true;
        const double pivot = row_[j];
        for (double& value : row_) value /= pivot;
        const double uu = dot_of(column_.data(), column_.data(), of_.rows);
        const double vv = dot_of(row_.data(), row_.data(), of_.columns);
        square_ = std::max(square_, uu * vv);
        found_.u.insert(found_.u.end(), column_.begin(), column_.end());
        found_.v.insert(found_.v.end(), row_.begin(), row_.end());
        ++found_.rank;
        return uu * vv <= allowed();
    }

    /// The square of the norm at which to stop: the tolerance, or rounding of the largest cross.
    double allowed() const { return std::max(allowed_, rounding * rounding * square_); }

    std::size_t next_row() const {
        for (std::size_t i = 0; i < of_.rows; ++i)
            if (!used_row_[i]) return i;
        return none;
    }

    /// Checks the reference row and column, those that the last cross touched least. Returns the
    /// row from which to continue if one of them is too large, else none.
    std::size_t reference() {
        const std::size_t last = found_.rank - 1;
        const std::size_t i = smallest(u(last), used_row_), j = smallest(v(last), used_column_);
        if (i == none || j == none) return none;
        residual_row(i);
        if (dot_of(row_.data(), row_.data(), of_.columns) * static_cast<double>(of_.rows) >
            allowed())
            return i;
        residual_column(j);
        if (dot_of(column_.data(), column_.data(), of_.rows) * static_cast<double>(of_.columns) >
            allowed())
            return largest(column_, used_row_);
        return none;
    }

    const block_entries& of_;
    double allowed_;
    std::size_t most_;
    std::vector<double> row_, column_;
    std::vector<bool> used_row_, used_column_;
    double square_ = 0;  ///< of the largest cross, in the Frobenius norm
    factors found_;
};

}  // namespace

crosses cross_approximation(const block_entries& of, double tolerance, std::size_t most) {
    return approximation(of, tolerance, most).run();
}

}  // namespace watari::hmatrix
