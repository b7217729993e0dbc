/// The rows of a product that a trial verifies: drawn at random over all leaves.
///
/// Four strata: dense and low-rank leaves, each kind divided at the median of its entries. The
/// strata that are not empty share the draws equally. A draw takes a leaf of its stratum and a row
/// of this leaf, both with equal chances. The whole row is compared, so it verifies a row of every
/// leaf that crosses it.
///
///     chance to detect an error in all rows of leaf L = 1 - product over S of (1 - c_S)^draws(S)
///     c_S = mean over leaves M of S of (common rows of M and L) / (rows of M)
///
/// x has random signs and magnitudes from 1/2 to 3/2, so errors of a row do not cancel by symmetry,
/// and every column counts. The limit of a row's error is eps times the root mean square of the
/// norms of all drawn rows, times error_of_row: eps bounds the Frobenius norm of the error.
#pragma once

#include "exact_row.hpp"
#include "watari/hmatrix/file/format.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace watari::hmatrix {

inline constexpr std::size_t rows_drawn = 64;
/// Largest accepted error of a row, in eps: about four times the root mean square, over x, of the
/// worst row that was measured: 2.4 on the meshes of a formula, 10.4 on a graded cube whose leaves
/// were not compressed again. The mean of all rows was 0.3 to 0.8.
inline constexpr double error_of_row = 40;

/// The leaves of each stratum that is not empty, by their numbers.
std::vector<std::vector<std::size_t>> strata_of(std::span<const leaf_record> leaves);

/// Draws `rows_drawn` rows; a row may be drawn twice.
std::vector<std::size_t> draw_rows(std::span<const leaf_record> leaves, std::uint64_t seed);

/// The vector of the check.
std::vector<double> check_vector(std::size_t count, std::uint64_t seed);

/// Returns the number of rows of y = A x, among the given ones, whose error is too large or not a
/// number. The vectors of the systems follow each other.
std::size_t wrong_rows(const exact_rows& exact, std::span<const std::size_t> rows,
                       std::span<const double> x, std::span<const double> y, double eps);

}  // namespace watari::hmatrix
