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

std::vector<float> direct_light(const parameters& p, const facet_list& facets,
                                const sun_place& sun) {
    std::vector<float> result(facets.count());
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
            unsigned lit = 0;
            for (point at : points) {
                for (unsigned a = 2; a < at.size(); ++a) at[a] += shift[a];
                lit += tracer.hit(tracer.from_facet(facets[n], at, to)) == sky_seen;
            }
            result[n] = static_cast<float>(cosine * lit / light_rays);
        }
    });
    return result;
}

}  // namespace watari::les
