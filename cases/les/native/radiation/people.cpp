#include "people.hpp"

#include "../city/facets.hpp"
#include "sunlight.hpp"
#include "watari/core/loops.hpp"

#include <cmath>
#include <limits>

namespace watari::les {

namespace {

/// A direction by its components beside a plane's normal and along it.
vector3 facing_by(unsigned plane, const vector3& local) {
    constexpr unsigned normal[person_planes] = {0, 1, 0, 1, 2, 2};
    constexpr double sign[person_planes] = {1, 1, -1, -1, 1, -1};
    const unsigned a = normal[plane];
    vector3 result{};
    result[(a + 1) % 3] = local[0];
    result[(a + 2) % 3] = local[1];
    result[a] = sign[plane] * local[2];
    return result;
}

class person_view {
public:
    person_view(const parameters& p, const facet_list& facets, const radiosity& of)
        : p_(p),
          facets_(facets),
          of_(of),
          tracer_(p, facets),
          points_(sobol_points(person_rays)),
          sun_(towards_sun(p.sun)) {
        // into the middle of their intervals: the first direction would lie in the plane
        constexpr auto half = static_cast<std::uint32_t>((std::uint64_t{1} << 31) / person_rays);
        for (point& at : points_)
            for (std::uint32_t& coordinate : at) coordinate += half;
    }

    void look(person_light& into, std::size_t column) const {
        const auto j = static_cast<std::uint32_t>(column / p_.whole.x),
                   i = static_cast<std::uint32_t>(column % p_.whole.x);
        const vector3 eye{i + 0.5, j + 0.5, height_of_people / p_.spacing[2]};
        std::vector<share_seen> seen;
        for (unsigned plane = 0; plane < person_planes; ++plane) {
            double sums[2]{};
            for (const point& at : points_) {
                seen.clear();
                const double sky = tracer_.see(
                    tracer_.from_place(eye, j, i, facing_by(plane, direction_of(at))), seen);
                sums[0] += sky * sky_radiation;
                sums[1] += sky * of_.sky_light();
                for (const share_seen& each : seen) {
                    const auto sent = of_.sent(each.node);
                    for (unsigned w = 0; w < 2; ++w) sums[w] += double(each.share) * sent[w];
                }
            }
            into.heat[plane][column] = static_cast<float>(sums[0] / person_rays);
            into.light[plane][column] = static_cast<float>(sums[1] / person_rays);
        }
        const bool day = sun_[2] > 0;
        const double lit = day ? tracer_.to_sky(tracer_.from_place(eye, j, i, sun_)) : 0;
        into.beam[column] = static_cast<float>(lit * of_.sunlight());
        into.ground[column] = of_.temperature(facets_.up(column));
    }

private:
    const parameters& p_;
    const facet_list& facets_;
    const radiosity& of_;
    ray_tracer tracer_;
    std::vector<point> points_;
    vector3 sun_;
};

}  // namespace

person_light light_on_people(const parameters& p, const facet_list& facets, const radiosity& of) {
    const std::size_t columns = p.heights.size();
    const std::vector<float> none(columns, std::numeric_limits<float>::quiet_NaN());
    person_light result{{}, {}, none, none};
    for (auto* group : {&result.light, &result.heat})
        for (std::vector<float>& each : *group) each = none;
    const person_view view(p, facets, of);
    cpu::for_each_part(columns, [&](std::size_t n, std::size_t last) {
        for (; n < last; ++n)
            if (p.heights[n] == 0) view.look(result, n);
    });
    return result;
}

}  // namespace watari::les
