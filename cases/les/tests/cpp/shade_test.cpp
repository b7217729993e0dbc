// Which light leaves let through, to facets and to people, and what becomes of the rest.
#include "../../native/city/nozzles.hpp"
#include "../../native/flow/leaves.hpp"
#include "../../native/radiation/foliage.hpp"
#include "../../native/radiation/people.hpp"
#include "../../native/radiation/sunlight.hpp"
#include "../../native/radiation/view_file.hpp"
#include "radiant_city.hpp"

namespace watari::les {
namespace {

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
                    p.trees.insert(p.trees.end(), {double(i), double(j), double(k), 0.5});
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
