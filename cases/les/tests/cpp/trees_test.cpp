// Trees: what leaves do to the wind, and which light they let through.
#include "../../native/city/facets.hpp"
#include "../../native/city/nozzles.hpp"
#include "../../native/flow/leaves.hpp"
#include "../../native/radiation/foliage.hpp"
#include "../../native/radiation/people.hpp"
#include "../../native/radiation/sunlight.hpp"
#include "../../native/radiation/view_file.hpp"
#include "radiant_city.hpp"

#include <array>
#include <random>

namespace watari::les {
namespace {

/// Leaves of one density in the planes from `low` to below `high`.
parameters with_layer(parameters p, double density, std::size_t low, std::size_t high) {
    for (std::size_t k = low; k < high; ++k)
        for (std::size_t j = 0; j < p.whole.y; ++j)
            for (std::size_t i = 0; i < p.whole.x; ++i)
                if (p.heights[j * p.whole.x + i] <= k)
                    for (const double n : {double(i), double(j), double(k), density})
                        p.trees.push_back(n);
    return p;
}

/// Some leaves, dense and thin, beside a block, at the edges of the grid and in one cell twice.
parameters with_trees(parameters p) {
    p.trees = {0, 3, 0, 0.5, 0, 3, 1, 0.25, 15, 0, 2, 1, 15, 15,  15, 0.5, 4, 6,
               1, 1, 4, 6,   2, 2, 4, 6,    2,  1, 5, 6, 6,  0.5, 8,  2,   0, 0.125};
    return p;
}

TEST(LesTrees, LeavesSlowAirToItsTerminalSpeed) {
    parameters p = with_layer(city_of({8, 8, 8}, 2), 0.5, 0, 8);
    p.air = inviscid();
    p.air.ground = surface::slip;
    p.air.force[0] = 0.02;
    p.dt = 0.5;
    small_city<double> city(p);
    city.set({still, still, still, still});
    started air(city);
    const double drag = leaf_drag * 0.5, terminal = std::sqrt(0.02 / drag);
    for (int step = 1; step <= 60; ++step) {
        air.step(nullptr);
        const double known = terminal * std::tanh(step * p.dt * std::sqrt(0.02 * drag));
        city.each([&](auto, auto, auto, std::size_t at) {
            ASSERT_NEAR(air.flow().now.velocity[0][at], known, 1e-6 * terminal) << step;
        });
    }
    const leaf_work work =
        kernels_on<leaf_kernels<double>>(the_cpu).look(air.flow(), air.leaves(), 2.0, nullptr);
    const double u = air.flow().now.velocity[0][city.p.grid.at(3, 3, 3)];
    EXPECT_NEAR(work.fastest, drag * u, 1e-9);
    EXPECT_NEAR(work.power, 512 * 2.0 * drag * u * u * u, 1e-6 * work.power);
}

/// Density of a cell of the whole periodic city; 0 beyond ground and lid.
double density_at(const parameters& p, std::ptrdiff_t k, std::ptrdiff_t j, std::ptrdiff_t i) {
    const auto wrapped = [](std::ptrdiff_t n, std::size_t all) {
        return (static_cast<std::size_t>(n) + all) % all;
    };
    double sum = 0;
    for (std::size_t n = 0; n < p.trees.size(); n += 4)
        if (p.trees[n] == double(wrapped(i, p.whole.x)) &&
            p.trees[n + 1] == double(wrapped(j, p.whole.y)) && p.trees[n + 2] == double(k))
            sum += p.trees[n + 3];
    return sum;
}

template <class Real>
void compare_drag() {
    small_city<Real> city(with_trees(city_of({16, 16, 16}, 2, 5, 10, 6)));
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> random(-3, 3);
    for (unsigned n = 0; n < 3; ++n)
        city.set(n, [&](double, double, double) { return random(engine); });
    auto f = flow_of<Real>(city.f, city.p);
    const auto leaves = leaves_in<Real>(city.f.facets, city.p);
    const stage_factors<Real> by{Real(0.5), Real(0.25), Real(0.125)};
    kernels_on<leaf_kernels<Real>>(the_cpu).slow(f, leaves, stage::middle, by, nullptr);
    const std::size_t step[3] = {1, city.p.grid.row(), city.p.grid.plane()};
    std::size_t slowed = 0;
    city.each([&](std::size_t k, std::size_t j, std::size_t i, std::size_t at) {
        const auto z = std::ptrdiff_t(k), y = std::ptrdiff_t(j), x = std::ptrdiff_t(i);
        for (unsigned a = 0; a < 3; ++a) {
            const double mean = (density_at(city.p, z, y, x) +
                                 density_at(city.p, z - (a == 2), y - (a == 1), x - (a == 0))) /
                                2;
            double u[3];
            for (unsigned b = 0; b < 3; ++b) {
                const Real* const of = f.now.velocity[b];
                u[b] = b == a ? double(of[at])
                              : (double(of[at]) + double(of[at - step[a]]) +
                                 double(of[at + step[b]]) + double(of[at + step[b] - step[a]])) /
                                    4;
            }
            const bool open = (city.flags()[at] & flag::low(a)) != 0;
            const double speed = std::sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            const double less = open ? 0.125 * leaf_drag * mean * speed * u[a] : 0;
            slowed += less != 0;
            EXPECT_NEAR(f.q[a][at], -less, 1e-6) << a << ' ' << k << ' ' << j << ' ' << i;
            EXPECT_NEAR(f.next.velocity[a][at], -0.25 * less, 1e-6);
        }
        // what the divergence of the last cells reads
        if (i == 0) {
            EXPECT_EQ(f.next.velocity[0][at], f.next.velocity[0][at + city.p.whole.x]);
        }
        if (j == 0) {
            const std::size_t copy = at + city.p.whole.y * city.p.grid.row();
            EXPECT_EQ(f.next.velocity[1][at], f.next.velocity[1][copy]);
        }
    });
    EXPECT_EQ(slowed, leaves.all_faces());
    EXPECT_GT(slowed, 25u);
}

TEST(LesTrees, DragIsThatOfTheFormula) {
    compare_drag<double>();
    compare_drag<float>();
}

TEST(LesTrees, PartsHaveTheFacesOfTheWhole) {
    const parameters whole = with_trees(city_of({16, 16, 16}, 2, 5, 10, 6));
    const auto all = leaves_in<float>(nullptr, whole);
    leaf_arrays<float> sum;
    for (const std::size_t y : {0u, 8u})
        for (const std::size_t x : {0u, 8u}) {
            parameters part = whole;
            part.grid.size = {8, 8, 16};
            part.grid.origin = {x, y, 0};
            part.grid.around_x = part.grid.around_y = false;
            const auto own = leaves_in<float>(nullptr, part);
            for (unsigned a = 0; a < 3; ++a) sum.faces[a] += own.faces[a];
            sum.cells += own.cells;
        }
    for (unsigned a = 0; a < 3; ++a) EXPECT_EQ(sum.faces[a], all.faces[a]);
    EXPECT_EQ(sum.cells, all.cells);
    EXPECT_EQ(all.cells, leaf_places(whole).size());
    EXPECT_EQ(all.cells, 8u);  // one has two entries
}

TEST(LesTrees, ACityWithoutTreesHasNoBytesForThem) {
    const parameters p = city_of({16, 16, 16}, 2);
    EXPECT_EQ(leaves_bytes(p), 0u);
    EXPECT_GT(leaves_bytes(with_trees(p)), 0u);
}

TEST(LesTrees, TheExponentialIsTheLibrarys) {
    for (double x = 0; x < 70; x += 0.37)
        EXPECT_NEAR(decay(x), std::exp(-x), 1e-10 * std::exp(-x) + 1e-27);
    EXPECT_EQ(decay(1e9), 0);
    EXPECT_EQ(decay(0), 1);
}

/// Flat ground below leaves, which shine.
parameters covered(double leaf_area, std::size_t planes) {
    parameters p =
        with_layer(city_of({8, 8, 16}, 2), leaf_area / (2.0 * double(planes)), 2, 2 + planes);
    p.radiation = radiation_on::cpu;
    return p;
}

TEST(LesTrees, DirectLightFallsByTheLeavesInItsWay) {
    for (const auto& [leaf_area, passes] : {std::pair{1.0, 0.606531}, {3.0, 0.223130}}) {
        const parameters p = covered(leaf_area, 3);
        const facet_list facets(p);
        const std::vector<float> high = direct_light(p, facets, {90, 180}),
                                 low = direct_light(p, facets, {30, 200});
        for (std::size_t n = 0; n < facets.count(); ++n) {
            EXPECT_NEAR(high[n], passes, 1e-6);
            EXPECT_NEAR(low[n], 0.5 * passes * passes, 1e-6);
        }
    }
}

TEST(LesTrees, DiffuseLightFallsFaster) {
    for (const auto& [leaf_area, passes] : {std::pair{1.0, 0.443209}, {3.0, 0.113479}}) {
        const parameters p = covered(leaf_area, 3);
        const facet_list facets(p);
        const view_factors views = trace_views(p, facets, 1024);
        double sky = 0;
        for (std::size_t n = 0; n < facets.count(); ++n)
            sky += double(views.sky[n]) / double(facets.count());
        EXPECT_NEAR(sky, passes, 0.005 * passes);
    }
}

/// Two buildings, and trees in the streets beside them.
parameters leafy_blocks() {
    parameters p = two_blocks();
    p.radiation = radiation_on::cpu;
    for (std::size_t k = 2; k < 5; ++k)
        for (std::size_t j = 0; j < 16; ++j)
            for (const std::size_t i : {11u, 12u, 23u, 0u})
                if (j % 8 < 4)
                    for (const double n : {double(i), double(j), double(k), 0.5})
                        p.trees.push_back(n);
    p.grid = p.whole_grid();  // of moist air
    return p;
}

TEST(LesTrees, AllLightOfTheSunEndsOnce) {
    for (const sun_place sun : {sun_place{60, 200}, {30, 90}, {90, 0}}) {
        const parameters p = leafy_blocks();
        const facet_list facets(p);
        const std::vector<float> area = areas_of(p, facets), lit = direct_light(p, facets, sun);
        double sum = 0;
        for (std::size_t n = 0; n < facets.nodes(); ++n) sum += double(area[n]) * double(lit[n]);
        const double enters = 24 * 16 * 4 * towards_sun(sun)[2];
        EXPECT_NEAR(sum, enters, 0.01 * enters) << sun[0];
    }
}

TEST(LesTrees, EnergyIsBalancedWithLeaves) {
    const parameters p = leafy_blocks();
    const facet_list facets(p);
    ASSERT_GT(facets.nodes(), facets.count());
    radiosity all(p);
    const std::vector<float> of = temperatures(facets.count()),
                             leaves = temperatures(facets.leaves().size());
    all.update(of.data(), leaves);
    EXPECT_LT(all.account().imbalance, 1e-6);
    EXPECT_LT(all.account().residual, 1e-6);
    EXPECT_GT(*std::min_element(all.sky().begin(), all.sky().end()), -1e-4);
}

TEST(LesTrees, LeavesAsWarmAsAllElseGainNoHeat) { expect_balance_with_the_sky(leafy_blocks()); }

TEST(LesTrees, ViewsHaveTheSameBitsOnAnyNumberOfThreads) {
    const parameters p = leafy_blocks();
    const facet_list facets(p);
    expect_same_views_on_threads(p, facets);
    cpu::set_threads(1);
    const std::vector<float> lit = direct_light(p, facets, {50, 220});
    cpu::set_threads(3);
    EXPECT_EQ(lit, direct_light(p, facets, {50, 220}));
    cpu::set_threads(1);
}

TEST(LesTrees, AFileOfViewsIsOfItsTrees) {
    parameters p = leafy_blocks();
    const std::string with = view_file_name(p);
    p.trees[3] *= 2;
    EXPECT_NE(view_file_name(p), with);
    p.trees.clear();
    EXPECT_EQ(view_file_name(p), view_file_name(two_blocks()));
}

/// What leaves take as light they give as heat and vapour.
TEST(LesTrees, LeavesGiveWhatTheyTake) {
    parameters p = leafy_blocks();
    p.dt = 0.25;
    small_city<double> city(p);
    const auto leaves = leaves_in<double>(city.f.facets, city.p);
    ASSERT_GT(leaves.cells, 0u);
    const facet_list facets(p);
    radiosity light(p);
    foliage all(p);
    light.update(temperatures(facets.count()).data(), all.feel(leaves.packed, leaves.cells));
    all.give(light, leaves);
    const leaf_budget& of = all.budget();
    EXPECT_GT(of.light, 1e3);
    EXPECT_NEAR(of.heat + latent_heat * of.vapour, of.light + of.long_waves, 1e-9 * of.light);
    EXPECT_NEAR(latent_heat * of.vapour, latent_share * of.light, 1e-9 * of.light);
    EXPECT_NEAR(all.warming() * rho_cp * 8, of.heat, 1e-9 * of.light);
    EXPECT_NEAR(all.vapour() * air_of_cell(p) / p.dt, of.vapour, 1e-9 * of.vapour);
}

TEST(LesPeople, OverFlatGroundHalfIsSky) {
    parameters p = city_of({8, 8, 16}, 2);
    p.radiation = radiation_on::cpu;
    const facet_list facets(p);
    radiosity of(p);
    of.update(std::vector<float>(facets.count(), 310).data());
    const person_light seen = light_on_people(p, facets, of);
    const auto [heat, light] = of.sent(0);
    EXPECT_NEAR(light, 0.12 * (800 / std::numbers::sqrt2 + 100), 1e-2);
    for (std::size_t n = 0; n < 64; ++n) {
        EXPECT_NEAR(seen.heat[4][n], sky_radiation, 1e-3);
        EXPECT_NEAR(seen.heat[5][n], heat, 1e-2);
        EXPECT_NEAR(seen.light[5][n], light, 1e-2);
        for (unsigned side = 0; side < 4; ++side) {
            EXPECT_NEAR(seen.heat[side][n], (sky_radiation + heat) / 2, 0.02 * heat);
            EXPECT_NEAR(seen.light[side][n], (diffuse + light) / 2, 0.03 * diffuse);
        }
        EXPECT_NEAR(seen.beam[n], 800, 1e-3);
        EXPECT_EQ(seen.ground[n], 310);
    }
}

TEST(LesPeople, TreesAndWallsGiveShade) {
    const parameters p = leafy_blocks();
    const facet_list facets(p);
    radiosity of(p);
    of.update(temperatures(facets.count()).data(), temperatures(facets.leaves().size()));
    const person_light seen = light_on_people(p, facets, of);
    EXPECT_TRUE(std::isnan(seen.beam[5 * 24 + 5]));  // in a building
    EXPECT_EQ(seen.beam[10 * 24 + 6], 0);  // north of it, behind 10 m, in a sun of 45 degrees
    // leaves of 0.5 / m, 6 m thick, are crossed at 45 degrees over at most 8.5 m
    const double least = 800 * std::exp(-0.5 * 0.5 * 6 * std::numbers::sqrt2);
    double dark = 800;
    for (std::size_t n = 0; n < 24 * 16; ++n)
        if (seen.beam[n] > 0) dark = std::min(dark, double(seen.beam[n]));
    EXPECT_GE(dark, least - 1e-3);
    EXPECT_LT(dark, 300);
}

}  // namespace
}  // namespace watari::les
