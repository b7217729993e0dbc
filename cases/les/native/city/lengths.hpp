/// Lengths of Smagorinsky's viscosity, after Mason and Thomson (1992):
///
///     1 / l^2 = 1 / (Cs D)^2 + 1 / (karman (s + z0))^2,   D = (dx dy dz)^(1/3)
///
/// s: distance from a cell's centre to the box of the nearest solid cell within 6 cells; the ground
/// always counts.
#pragma once

#include "../les.hpp"

namespace watari::les {

/// Writes l^2 of the part's cells, by the CPU's threads, and 0 in the halo.
template <class Real>
void build_lengths(Real* length2, const parameters& p);

}  // namespace watari::les
