#include "rays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace watari::les {

namespace {

double unit_of(std::uint32_t value) { return value * 0x1p-32; }

/// Sine and cosine of |x| <= pi/4 by Taylor's polynomials, to 2e-14: no library's, so that each
/// machine has the same rays.
struct angle {
    double sine, cosine;
    explicit angle(double x) {
        const double y = x * x;
        sine =
            x *
            (1 + y * (-1. / 6 + y * (1. / 120 +
                                     y * (-1. / 5040 + y * (1. / 362880 + y * (-1. / 39916800))))));
        cosine = 1 + y * (-1. / 2 +
                          y * (1. / 24 +
                               y * (-1. / 720 + y * (1. / 40320 +
                                                     y * (-1. / 3628800 + y * (1. / 479001600))))));
    }
};

/// Two components in a facet's plane and one along its normal.
vector3 towards(double u, double v) {
    const double a = 2 * u - 1, b = 2 * v - 1;
    if (a == 0 && b == 0) return {0, 0, 1};
    const bool by_a = std::abs(a) > std::abs(b);
    const double r = by_a ? a : b, other = by_a ? b : a;
    const angle turn(std::numbers::pi / 4 * (other / r));
    const double near = r * turn.cosine, far = r * turn.sine;
    return {by_a ? near : far, by_a ? far : near, std::sqrt(std::max(0.0, 1 - r * r))};
}

}  // namespace

ray_tracer::ray_tracer(const parameters& p, const facet_list& facets)
    : facets_(&facets),
      x_(p.whole.x),
      y_(p.whole.y),
      per_metre_{1 / p.spacing[0], 1 / p.spacing[1], 1 / p.spacing[2]},
      tallest_(*std::max_element(p.heights.begin(), p.heights.end())),
      height_(p.heights) {}

ray ray_tracer::from_facet(const facet_place& place, const point& at, const vector3& along) const {
    const unsigned d = place.direction;
    ray r{
        {static_cast<double>(place.i), static_cast<double>(place.j), static_cast<double>(place.k)},
        {},
        place.j,
        place.i};
    for (unsigned n = 0; n < 2; ++n) r.from[plane_axes[d][n]] += unit_of(at[2 + n]);
    if (normal_sign[d] < 0) r.from[normal_axis[d]] += 1;
    for (unsigned n = 0; n < 3; ++n) r.along[n] = along[n] * per_metre_[n];
    return r;
}

ray ray_tracer::from_facet(const facet_place& place, const point& at) const {
    const unsigned d = place.direction;
    const vector3 local = towards(unit_of(at[0]), unit_of(at[1]));
    vector3 along{};
    for (unsigned n = 0; n < 2; ++n) along[plane_axes[d][n]] = local[n];
    along[normal_axis[d]] = normal_sign[d] * local[2];
    return from_facet(place, at, along);
}

std::uint32_t ray_tracer::hit(const ray& r) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    const auto next_of = [&](unsigned axis, std::uint32_t cell) {
        const double d = r.along[axis];
        return d == 0 ? never : (cell + (d > 0 ? 1.0 : 0.0) - r.from[axis]) / d;
    };
    const auto apart = [&](unsigned axis) {
        return r.along[axis] == 0 ? never : 1 / std::abs(r.along[axis]);
    };
    double next_x = next_of(0, r.i), next_y = next_of(1, r.j);
    const double apart_x = apart(0), apart_y = apart(1), rise = r.along[2];
    const bool east = r.along[0] > 0, north = r.along[1] > 0;
    std::size_t i = r.i, j = r.j, column = j * x_ + i;
    for (unsigned crossed = 0; crossed < most_columns; ++crossed) {
        const bool by_x = next_x < next_y;
        const double t = by_x ? next_x : next_y;
        const double z = r.from[2] + t * rise;  // where it leaves the column
        if (rise < 0) {
            if (z < height_[column]) return facets_->up(column);
        } else if (!(z < tallest_)) {
            return sky_seen;
        }
        const std::size_t before = column;
        if (by_x) {
            next_x += apart_x;
            i = east ? (i + 1 == x_ ? 0 : i + 1) : (i == 0 ? x_ : i) - 1;
        } else {
            next_y += apart_y;
            j = north ? (j + 1 == y_ ? 0 : j + 1) : (j == 0 ? y_ : j) - 1;
        }
        column = j * x_ + i;
        if (height_[column] > z) {
            const auto facing_back = by_x ? (east ? facing::minus_x : facing::plus_x)
                                          : (north ? facing::minus_y : facing::plus_y);
            return facets_->wall(static_cast<unsigned>(facing_back), before,
                                 static_cast<std::size_t>(z), height_[before]);
        }
    }
    return sky_seen;
}

void ray_tracer::hits(const facet_place& place, const std::vector<point>& points,
                      const point& shift, std::vector<std::uint32_t>& into) const {
    into.clear();
    for (point at : points) {
        for (unsigned n = 0; n < at.size(); ++n) at[n] += shift[n];
        if (const std::uint32_t facet = hit(from_facet(place, at)); facet != sky_seen)
            into.push_back(facet);
    }
    std::sort(into.begin(), into.end());
}

}  // namespace watari::les
