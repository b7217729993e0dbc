#include "sunlight.hpp"

#include "watari/core/loops.hpp"

#include <cmath>
#include <numbers>

namespace watari::les {

vector3 towards_sun(const sun_place& sun) {
    const double elevation = sun[0] * std::numbers::pi / 180,
                 azimuth = sun[1] * std::numbers::pi / 180;
    return {std::sin(azimuth) * std::cos(elevation), std::cos(azimuth) * std::cos(elevation),
            std::sin(elevation)};
}

namespace {

/// Sets what the leaves get.
void light_leaves(std::vector<float>& result, const ray_tracer& tracer, const facet_list& facets,
                  const std::vector<point>& points, const vector3& to) {
    const std::size_t first = facets.count();
    cpu::for_each_part(facets.leaves().size(), [&](std::size_t n, std::size_t last) {
        for (; n < last; ++n) {
            const point shift = shift_of(static_cast<std::uint32_t>(first + n));
            double lit = 0;
            for (std::size_t m = 0; m < points.size(); ++m) {
                point at = points[m];
                for (unsigned a = 2; a < at.size(); ++a) at[a] += shift[a];
                lit += tracer.to_sky(tracer.from_leaf(facets.leaves()[n], at, m, to));
            }
            result[first + n] = static_cast<float>(lit / (4 * light_rays));
        }
    });
}

}  // namespace

std::vector<float> direct_light(const parameters& p, const facet_list& facets,
                                const sun_place& sun) {
    std::vector<float> result(facets.nodes());
    const vector3 to = towards_sun(sun);
    if (to[2] <= 0) return result;
    const ray_tracer tracer(p, facets);
    const std::vector<point> points = sobol_points(light_rays);
    cpu::for_each_part(facets.count(), [&](std::size_t n, std::size_t last) {
        for (; n < last; ++n) {
            const unsigned d = facets[n].direction;
            const double cosine = normal_sign[d] * to[normal_axis[d]];
            if (cosine <= 0) continue;
            const point shift = shift_of(static_cast<std::uint32_t>(n));
            double lit = 0;
            for (point at : points) {
                for (unsigned a = 2; a < at.size(); ++a) at[a] += shift[a];
                lit += tracer.to_sky(tracer.from_facet(facets[n], at, to));
            }
            result[n] = static_cast<float>(cosine * lit / light_rays);
        }
    });
    light_leaves(result, tracer, facets, points, to);
    return result;
}

}  // namespace watari::les
