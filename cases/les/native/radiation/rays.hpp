/// Rays over the map of heights. A ray goes from column to column (Amanatides and Woo 1987); x and
/// y are periodic. It ends at a facet, or at the sky as soon as it is above the tallest roof.
///
/// Coordinates are in cells. A ray that crosses `most_columns` columns without an end counts as one
/// that sees the sky: about one in (most_columns / tallest roof)^2 of those along a straight
/// street.
#pragma once

#include "facet_list.hpp"
#include "sobol.hpp"

#include <array>
#include <cstdint>

namespace watari::les {

inline constexpr std::uint32_t sky_seen = ~std::uint32_t{0};
inline constexpr unsigned most_columns = 10'000;

using vector3 = std::array<double, 3>;  ///< along x, y, z

struct ray {
    vector3 from, along;
    std::uint32_t j, i;  ///< column in which it begins
};

class ray_tracer {
public:
    ray_tracer(const parameters& p, const facet_list& facets);

    /// The facet that a ray hits, or sky_seen.
    std::uint32_t hit(const ray& r) const;
    /// A ray from a facet through a point, in a cosine-weighted direction (concentric map, Shirley
    /// and Chiu 1997).
    ray from_facet(const facet_place& place, const point& at) const;
    /// A ray from the same place in a given direction, in metres.
    ray from_facet(const facet_place& place, const point& at, const vector3& along) const;
    /// How many of these rays hit which facets: the facets, ascending, one for each ray.
    void hits(const facet_place& place, const std::vector<point>& points, const point& shift,
              std::vector<std::uint32_t>& into) const;

private:
    const facet_list* facets_;
    std::size_t x_, y_;
    vector3 per_metre_;
    int tallest_;
    std::vector<std::uint16_t> height_;
};

/// The two axes of a facet's plane, in the order in which facets are numbered, and its normal.
inline constexpr unsigned plane_axes[directions][2] = {{0, 1}, {1, 2}, {1, 2}, {0, 2}, {0, 2}};
inline constexpr double normal_sign[directions] = {1, 1, -1, 1, -1};

}  // namespace watari::les
