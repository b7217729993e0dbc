#include "row_check.hpp"

#include "watari/core/loops.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace watari::hmatrix {

std::vector<std::vector<std::size_t>> strata_of(std::span<const leaf_record> leaves) {
    std::vector<std::vector<std::size_t>> strata;
    for (const bool is_dense : {true, false}) {
        std::vector<std::size_t> kind;
        for (std::size_t k = 0; k < leaves.size(); ++k)
            if ((leaves[k].rank == dense) == is_dense) kind.push_back(k);
        std::stable_sort(kind.begin(), kind.end(), [&](std::size_t a, std::size_t b) {
            return std::uint64_t{leaves[a].rows} * leaves[a].columns <
                   std::uint64_t{leaves[b].rows} * leaves[b].columns;
        });
        const auto middle = kind.begin() + static_cast<std::ptrdiff_t>(kind.size() / 2);
        if (middle != kind.begin()) strata.emplace_back(kind.begin(), middle);
        if (middle != kind.end()) strata.emplace_back(middle, kind.end());
    }
    return strata;
}

std::vector<std::size_t> draw_rows(std::span<const leaf_record> leaves, std::uint64_t seed) {
    const auto strata = strata_of(leaves);
    std::mt19937_64 bits(seed);
    const auto below = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(bits);
    };
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < rows_drawn; ++k) {
        const std::vector<std::size_t>& from = strata[k % strata.size()];
        const leaf_record& leaf = leaves[from[below(from.size())]];
        rows.push_back(leaf.row + below(leaf.rows));
    }
    return rows;
}

std::vector<double> check_vector(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> magnitude(0.5, 1.5);
    std::vector<double> x(count);
    for (double& value : x) value = (bits() & 1 ? 1 : -1) * magnitude(bits);
    return x;
}

std::size_t wrong_rows(const exact_rows& exact, std::span<const std::size_t> rows,
                       std::span<const double> x, std::span<const double> y, double eps) {
    std::vector<double> errors(rows.size()), norms(rows.size());
    cpu::for_each(
        rows.size(),
        [&](std::size_t k) {
            const std::vector<double> row = exact(rows[k]);
            const std::size_t n = row.size();
            for (std::size_t s = 0; s < x.size(); s += n) {
                const double error =
                    std::inner_product(row.begin(), row.end(), x.begin() + s, -y[s + rows[k]]);
                errors[k] = std::isfinite(error) ? std::max(errors[k], std::abs(error)) : INFINITY;
            }
            norms[k] = std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
        },
        nullptr);
    const double square = std::accumulate(norms.begin(), norms.end(), 0.0);
    const double allowed =
        error_of_row * eps * std::sqrt(square / static_cast<double>(rows.size()));
    return static_cast<std::size_t>(
        std::count_if(errors.begin(), errors.end(), [&](double e) { return !(e <= allowed); }));
}

}  // namespace watari::hmatrix
