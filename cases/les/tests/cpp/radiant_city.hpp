// Cities whose facets see each other, for tests of radiation.
#pragma once

#include "../../native/city/facets.hpp"
#include "../../native/radiation/radiosity.hpp"
#include "../../native/radiation/views.hpp"
#include "small_city.hpp"

namespace watari::les {

/// A long street along y, `width` cells between walls of `height` cells.
inline parameters street(std::size_t width, std::size_t height, std::size_t length = 8) {
    const std::size_t x = width + 8;
    parameters p = city_of({x, length, 2 * height}, 1);
    raise(p, {width, x}, {0, length}, height);
    return p;
}

/// Two buildings of 5 and 9 cells.
inline parameters two_blocks() {
    parameters p = city_of({24, 16, 16}, 2, 3, 9, 5);
    raise(p, {14, 20}, {6, 14}, 9);
    return p;
}

/// Wider than a square of row_order.hpp along x and y, with a building in each square but one.
inline parameters wide_city() {
    parameters p = city_of({72, 40, 12}, 2, 3, 9, 5);
    raise(p, {30, 37}, {28, 36}, 7);
    raise(p, {66, 70}, {4, 12}, 4);
    return p;
}

/// Leaves of one density in the planes from `low` to below `high`.
inline parameters with_layer(parameters p, double density, std::size_t low, std::size_t high) {
    for (std::size_t k = low; k < high; ++k)
        for (std::size_t j = 0; j < p.whole.y; ++j)
            for (std::size_t i = 0; i < p.whole.x; ++i)
                if (p.heights[j * p.whole.x + i] <= k)
                    p.trees.insert(p.trees.end(), {double(i), double(j), double(k), density});
    return p;
}

/// A temperature for each facet, K.
inline std::vector<float> temperatures(std::size_t count, float more = 0) {
    std::vector<float> result(count);
    for (std::size_t n = 0; n < count; ++n)
        result[n] = 285 + static_cast<float>(n * 7919 % 41) + more;
    return result;
}

/// The heat that a facet conducts to the inside once it is steady, W/m2.
inline double conducted(const facet& f) {
    double resistance = thickness[layers - 1] / 2;
    for (unsigned l = 0; l + 1 < layers; ++l) resistance += (thickness[l] + thickness[l + 1]) / 2;
    return f.conductivity * (f.temperature[0] - inside) / resistance;
}

/// Facets and leaves as warm as the sky receive what they send.
inline void expect_balance_with_the_sky(const parameters& p) {
    const facet_list facets(p);
    radiosity heat(p);
    const auto t = static_cast<float>(std::pow(sky_radiation / sigma, 0.25));
    heat.update(std::vector<float>(facets.count(), t).data(),
                std::vector<float>(facets.leaves().size(), t));
    for (std::size_t n = 0; n < facets.nodes(); ++n)
        EXPECT_NEAR(heat.heat()[n], sigma * std::pow(double(t), 4), 1e-6 * sky_radiation);
}

inline bool same(const view_factors& a, const view_factors& b) {
    return a.first == b.first && a.sky == b.sky && a.area == b.area &&
           std::equal(a.column.data(), a.column.data() + a.nonzeros(), b.column.data()) &&
           std::equal(a.shared.data(), a.shared.data() + a.nonzeros(), b.shared.data());
}

inline void expect_same_views_on_threads(const parameters& p, const facet_list& facets) {
    cpu::set_threads(1);
    const view_factors one = trace_views(p, facets);
    cpu::set_threads(3);
    const view_factors three = trace_views(p, facets);
    cpu::set_threads(1);
    EXPECT_TRUE(same(one, three));
}

}  // namespace watari::les
