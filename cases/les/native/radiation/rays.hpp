/// Rays over the map of heights. A ray goes from column to column (Amanatides and Woo 1987); x and
/// y are periodic. It ends at a facet, or at the sky as soon as it is above the tallest roof.
///
/// Coordinates are in cells. A ray that crosses `most_columns` columns without an end counts as one
/// that sees the sky: about one in (most_columns / tallest roof)^2 of those along a straight
/// street.
///
/// Leaves weaken a ray and let the rest through (canopy.hpp).
#pragma once

#include "canopy.hpp"
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

/// The share of a node's rays that ends at another one: a facet, or a cell with leaves.
struct share_seen {
    std::uint32_t node;
    float share;  ///< of one ray

    friend auto operator<=>(const share_seen&, const share_seen&) = default;
};

class ray_tracer {
public:
    ray_tracer(const parameters& p, const facet_list& facets);

    /// The facet that a ray hits, or sky_seen.
    std::uint32_t hit(const ray& r) const;
    /// The share of a ray that reaches the sky: 0 behind a facet.
    double to_sky(const ray& r) const;
    /// A ray from a facet through a point, in a cosine-weighted direction (concentric map, Shirley
    /// and Chiu 1997).
    ray from_facet(const facet_place& place, const point& at) const;
    /// A ray from the same place in a given direction, in metres.
    ray from_facet(const facet_place& place, const point& at, const vector3& along) const;
    /// A ray from place `n` of a cell with leaves, in a given direction.
    ray from_leaf(const leaf_place& place, const point& at, std::size_t n,
                  const vector3& along) const;
    /// The same in any direction, all alike.
    ray from_leaf(const leaf_place& place, const point& at, std::size_t n) const;
    /// A ray from a place in cells, over column (j, i).
    ray from_place(const vector3& place, std::uint32_t j, std::uint32_t i,
                   const vector3& along) const;
    /// How many of these rays hit which facets: the facets, ascending, one for each ray.
    void hits(const facet_place& place, const std::vector<point>& points, const point& shift,
              std::vector<std::uint32_t>& into) const;
    /// What the rays of a node see, ascending by node.
    void see(std::size_t node, const std::vector<point>& points, const point& shift,
             std::vector<share_seen>& into) const;
    /// What one ray sees: appended, not merged. Returns the share that reaches the sky.
    double see(const ray& r, std::vector<share_seen>& into) const;

private:
    template <class Leaves>
    std::uint32_t end_of(const ray& r, int top, const Leaves& through) const;

    const facet_list* facets_;
    std::size_t x_, y_;
    vector3 per_metre_;
    int tallest_, top_;  ///< of roofs; of roofs and leaves
    std::vector<std::uint16_t> height_;
    canopy canopy_;
};

/// A cosine-weighted direction around an axis: two components beside it, and one along it.
vector3 direction_of(const point& at);

/// The two axes of a facet's plane, in the order in which facets are numbered, and its normal.
inline constexpr unsigned plane_axes[directions][2] = {{0, 1}, {1, 2}, {1, 2}, {0, 2}, {0, 2}};
inline constexpr double normal_sign[directions] = {1, 1, -1, 1, -1};

}  // namespace watari::les
