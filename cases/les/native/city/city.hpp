/// The city: the cells that are buildings, the distance of air cells from buildings, and the facets
/// between both.
///
/// The city is a map of heights in cells, so it encloses no air: the pressure has one null vector.
#pragma once

#include "../grid/fields.hpp"
#include "columns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace watari::les {

/// A facet is a closed face seen from its cell of air. Facets are ordered by direction as listed
/// here, within a direction by cell.
inline constexpr unsigned directions = 5;
enum class facing { up, plus_x, minus_x, plus_y, minus_y };
inline constexpr unsigned normal_axis[directions] = {2, 0, 0, 1, 1};

/// The number of facets of one part, by direction.
struct facet_counts {
    std::size_t of[directions]{};
    std::size_t all() const { return of[0] + of[1] + of[2] + of[3] + of[4]; }
};
facet_counts count_facets(const parameters& p);

/// The processor's arrays of facets, in `fields::facets`.
template <class Real>
struct facet_arrays {
    std::uint32_t* cell;  ///< element of an array over the grid
    Real* flux;           ///< K m/s into the air
    Real* packed;         ///< temperature of the air, then speed along the facet
};
template <class Real>
facet_arrays<Real> facets_in(std::byte* data, std::size_t count);
std::size_t facets_bytes(const parameters& p);

/// Calls work(direction, k, j, i) for each facet of the part, in order. No facet is above the
/// tallest roof.
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

/// Writes the flags, the lengths and the cells of facets of the part, and zero fluxes, by the CPU's
/// threads.
template <class Real>
void build_city(const fields& f, const parameters& p);

}  // namespace watari::les
