/// The nozzles of mist in one part of the city: behind the facets, in the same array.
///
/// Nozzles of one cell are one. 8 bytes a nozzle in fp32.
#pragma once

#include "city.hpp"

namespace watari::les {

/// Cells with nozzles, and what a step adds to their l.
template <class Real>
struct nozzle_cells {
    std::size_t count;
    std::uint32_t* cell;  ///< element of an array over the grid
    Real* amount;         ///< kg/kg
};

/// Density of the air, kg/m3.
inline double density(const constants& air) {
    constexpr double gas = 287.05;  // J/(kg K)
    return air.pressure / (gas * air.theta0);
}

/// kg of air in a cell.
inline double air_of_cell(const parameters& p) {
    return density(p.air) * p.spacing[0] * p.spacing[1] * p.spacing[2];
}

std::size_t count_nozzles(const parameters& p);
/// Bytes behind the facets.
std::size_t nozzles_bytes(const parameters& p);
template <class Real>
nozzle_cells<Real> nozzles_in(std::byte* facets, const parameters& p);
/// Writes the nozzles of the part behind its facets.
template <class Real>
void build_nozzles(std::byte* facets, const parameters& p);

}  // namespace watari::les
