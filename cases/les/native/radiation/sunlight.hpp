/// The direct light of the sun: its direction from elevation and azimuth, and the share of each
/// facet that it reaches, by 16 points of the facet and a ray from each towards the sun.
#pragma once

#include "rays.hpp"

#include <vector>

namespace watari::les {

inline constexpr std::size_t light_rays = 16;

/// Towards the sun: east, north, up.
vector3 towards_sun(const sun_place& sun);

/// The lit share of each facet, times the cosine of the angle between normal and sun; 0 at night.
/// Then a quarter of the lit share of each cell with leaves: what a surface of 4 k a V gets, of
/// which the sun sees k a V.
std::vector<float> direct_light(const parameters& p, const facet_list& facets,
                                const sun_place& sun);

}  // namespace watari::les
