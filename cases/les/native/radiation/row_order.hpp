/// The order in which a processor takes the rows of the matrix of view factors. Facets beside each
/// other see the same others, whose x is then still in the cache. The numbers of facets do not give
/// this: they go by direction and plane.
///
/// A row keeps the order of its non-zeros, so its sums have the same bits.
#pragma once

#include "views.hpp"

#include <cstdint>
#include <vector>

namespace watari::les {

/// Rows go by squares of so many columns a side. What facets of a square see, some 50 cells around,
/// has then below 1 MB of x.
inline constexpr std::uint32_t square_columns = 32;

/// The node of each row: square by square, in a square by number. A node is a facet or a cell with
/// leaves.
std::vector<std::uint32_t> square_by_square(const parameters& p, const facet_list& facets);

/// Row n of the result is that of `node[n]`; its columns are numbers of rows, `row[m]` for node m.
/// The result takes as much memory as what is given.
view_factors in_order(const view_factors& of, const std::vector<std::uint32_t>& node,
                      const std::vector<std::uint32_t>& row);

}  // namespace watari::les
