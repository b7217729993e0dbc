/// The radiation on a person in each street: what facets, leaves, sky and sun send to a point 1.5 m
/// above the ground, on six planes.
///
///     flux on a plane = mean over 64 cosine-weighted rays of what their ends send
///     beam            = what the leaves in its way let through of the sun's 800 W/m2
///
/// All points have the same directions, so that neighbours differ by what they see alone.
#pragma once

#include "radiosity.hpp"
#include "rays.hpp"

#include <vector>

namespace watari::les {

inline constexpr double height_of_people = 1.5;  ///< m
inline constexpr std::size_t person_rays = 64;
inline constexpr unsigned person_planes = 6;  ///< facing east, north, west, south, up, down

/// W/m2 of each column, [y][x]; NaN where a building stands.
struct person_light {
    std::vector<float> light[person_planes], heat[person_planes];
    std::vector<float> beam;    ///< on a plane across it
    std::vector<float> ground;  ///< K, of the ground below
};

person_light light_on_people(const parameters& p, const facet_list& facets, const radiosity& of);

}  // namespace watari::les
