#include "rays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace watari::les {

namespace {

constexpr double faint = 1e-7;  ///< share of a ray that no more leaves are asked to take

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
      height_(p.heights),
      canopy_(p, facets.leaves()) {
    top_ = std::max(tallest_, canopy_.top());
}

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

vector3 direction_of(const point& at) { return towards(unit_of(at[0]), unit_of(at[1])); }

ray ray_tracer::from_place(const vector3& place, std::uint32_t j, std::uint32_t i,
                           const vector3& along) const {
    ray r{place, along, j, i};
    for (unsigned n = 0; n < 3; ++n) r.along[n] *= per_metre_[n];
    return r;
}

/// The third coordinate of a place follows the golden ratio.
ray ray_tracer::from_leaf(const leaf_place& place, const point& at, std::size_t n,
                          const vector3& along) const {
    const auto third = at[2] + static_cast<std::uint32_t>(n * 0x9e3779b9u);
    return from_place(
        {place.i + unit_of(at[2]), place.j + unit_of(at[3]), place.k + unit_of(third)}, place.j,
        place.i, along);
}

/// The disc under the hemisphere of towards() becomes a sphere (Lambert's projection).
ray ray_tracer::from_leaf(const leaf_place& place, const point& at, std::size_t n) const {
    const vector3 local = direction_of(at);
    const double wide = 2 * local[2], up = 2 * local[2] * local[2] - 1;
    return from_leaf(place, at, n, {wide * local[0], wide * local[1], up});
}

ray ray_tracer::from_facet(const facet_place& place, const point& at) const {
    const unsigned d = place.direction;
    const vector3 local = direction_of(at);
    vector3 along{};
    for (unsigned n = 0; n < 2; ++n) along[plane_axes[d][n]] = local[n];
    along[normal_axis[d]] = normal_sign[d] * local[2];
    return from_facet(place, at, along);
}

/// Where a ray ends. `through` gets each column that it crosses, and the metres between which.
template <class Leaves>
std::uint32_t ray_tracer::end_of(const ray& r, int top, const Leaves& through) const {
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
    double before = 0;
    for (unsigned crossed = 0; crossed < most_columns; ++crossed) {
        const bool by_x = next_x < next_y;
        const double t = by_x ? next_x : next_y;
        const double z = r.from[2] + t * rise;  // where it leaves the column
        if (rise < 0) {
            if (z < height_[column]) {
                through(column, before, (height_[column] - r.from[2]) / rise);
                return facets_->up(column);
            }
            through(column, before, t);
        } else {
            through(column, before, t);
            if (!(z < top)) return sky_seen;
        }
        before = t;
        const std::size_t behind = column;
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
            return facets_->wall(static_cast<unsigned>(facing_back), behind,
                                 static_cast<std::size_t>(z), height_[behind]);
        }
    }
    return sky_seen;
}

std::uint32_t ray_tracer::hit(const ray& r) const {
    return end_of(r, tallest_, [](std::size_t, double, double) {});
}

double ray_tracer::to_sky(const ray& r) const {
    if (canopy_.empty()) return hit(r) == sky_seen ? 1 : 0;
    double depth = 0;
    const std::uint32_t end = end_of(r, top_, [&](std::size_t column, double from, double to) {
        canopy_.cross(
            column, r.from[2], r.along[2], from, to,
            [&](std::size_t leaf, double metres) { depth += canopy_.extinction(leaf) * metres; });
    });
    return end == sky_seen ? decay(depth) : 0;
}

double ray_tracer::see(const ray& r, std::vector<share_seen>& into) const {
    const auto leaves = static_cast<std::uint32_t>(facets_->count());
    double left = 1;
    const auto cross = [&](std::size_t column, double from, double to) {
        if (canopy_.empty() || left < faint) return;
        canopy_.cross(column, r.from[2], r.along[2], from, to,
                      [&](std::uint32_t leaf, double metres) {
                          const double passes = decay(canopy_.extinction(leaf) * metres);
                          into.push_back({leaves + leaf, static_cast<float>(left * (1 - passes))});
                          left *= passes;
                      });
    };
    const std::uint32_t end = end_of(r, top_, cross);
    if (end == sky_seen) return left;
    into.push_back({end, static_cast<float>(left)});
    return 0;
}

void ray_tracer::see(std::size_t node, const std::vector<point>& points, const point& shift,
                     std::vector<share_seen>& into) const {
    into.clear();
    if (canopy_.empty()) {
        thread_local std::vector<std::uint32_t> facets;
        hits((*facets_)[node], points, shift, facets);
        for (const std::uint32_t facet : facets)
            if (!into.empty() && into.back().node == facet)
                into.back().share += 1;
            else
                into.push_back({facet, 1});
        return;
    }
    const std::size_t facets = facets_->count();
    for (std::size_t n = 0; n < points.size(); ++n) {
        point at = points[n];
        for (unsigned a = 0; a < at.size(); ++a) at[a] += shift[a];
        see(node < facets ? from_facet((*facets_)[node], at)
                          : from_leaf(facets_->leaves()[node - facets], at, n),
            into);
    }
    std::sort(into.begin(), into.end());
    std::size_t kept = 0;
    for (std::size_t n = 0; n < into.size(); ++n)
        if (kept > 0 && into[kept - 1].node == into[n].node)
            into[kept - 1].share += into[n].share;
        else
            into[kept++] = into[n];
    into.resize(kept);
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
