/// The city: which cells are buildings, how far air is from them, and where they face the air.
///
/// A map of heights in cells, so there is no enclosed air: the pressure has one null vector.
#pragma once

#include "watari/cases/les/city/columns.hpp"
#include "watari/cases/les/grid/fields.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace watari::les {

/// A facet is a closed face seen from its cell of air. They are in this order; within a direction
/// by cell.
inline constexpr unsigned directions = 5;
enum class facing { up, plus_x, minus_x, plus_y, minus_y };
inline constexpr unsigned normal_axis[directions] = {2, 0, 0, 1, 1};

/// The facets of one part: how many, by direction.
struct facet_counts {
    std::size_t of[directions]{};
    std::size_t all() const { return of[0] + of[1] + of[2] + of[3] + of[4]; }
};
facet_counts count_facets(const parameters& p);

/// The arrays of facets in `fields::facets`: what the processor needs of them.
template <class Real>
struct facet_arrays {
    std::uint32_t* cell;  ///< element of an array over the grid
    Real* flux;           ///< K m/s into the air
    Real* packed;         ///< temperature of the air, then speed along the facet
};
template <class Real>
facet_arrays<Real> facets_in(std::byte* data, std::size_t count);
std::size_t facets_bytes(const parameters& p);

/// work(facing, k, j, i) for the facets of the part, in their order. No facet is above the tallest
/// roof.
template <class Work>
void for_each_facet(const parameters& p, const Work& work) {
    constexpr std::ptrdiff_t behind[directions][2] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};
    const columns height(p, 1);
    const std::size_t top = std::min(p.grid.size.z, static_cast<std::size_t>(height.tallest()) + 1);
    for (unsigned d = 0; d < directions; ++d)
        for (std::size_t k = 0; k < top; ++k)
            for (std::size_t j = 0; j < p.grid.size.y; ++j) {
                const int* const own = height.row(static_cast<std::ptrdiff_t>(j)) + 1;
                const int* const other =
                    height.row(static_cast<std::ptrdiff_t>(j) + behind[d][0]) + 1 + behind[d][1];
                const int z = static_cast<int>(k);
                for (std::size_t i = 0; i < p.grid.size.x; ++i)
                    if (d == 0 ? own[i] == z : own[i] <= z && z < other[i]) work(d, k, j, i);
            }
}

/// Flags, lengths and cells of facets of the part, and no flux yet. Written by the CPU's threads.
template <class Real>
void build_city(const fields& f, const parameters& p);

}  // namespace watari::les
