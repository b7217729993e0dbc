// Radiation between facets by radiosity: analytic checks, energy, sweeps and solver, threads.
#include "../../native/radiation/row_order.hpp"
#include "radiant_city.hpp"

#include <algorithm>

namespace watari::les {
namespace {

parameters shining(parameters p, double albedo_of_all = 0.3) {
    p.radiation = radiation_on::cpu;
    for (auto& row : p.surfaces) row[0] = albedo_of_all;
    return p;
}

/// The share of an isotropic sky's light on the street's opening that goes back to the sky.
double albedo_of_street(double ratio, double albedo_of_all) {
    parameters p = shining(street(16, static_cast<std::size_t>(16 * ratio)), albedo_of_all);
    const facet_list facets(p);
    p.sun = {1e-9, 180};  // the sky shines, the sun itself does not
    radiosity light(p);
    light.update(std::vector<float>(facets.count(), 293.15f).data());
    double back = 0;
    for (std::size_t n = 0; n < facets.count(); ++n)
        if (facets[n].direction > 0 || facets[n].k == 0)
            back += double(light.sky()[n]) * albedo_of_all * light.light()[n];
    return back / (diffuse * 16 * 8);
}

TEST(LesRadiosity, StreetsReflectAsMuchAsTheTableSays) {
    cpu::set_threads(2);
    const double known[3][3] = {{0.184036, 0.341499, 0.819279},
                                {0.132211, 0.258760, 0.751769},
                                {0.096714, 0.192069, 0.652593}};
    const double ratios[] = {0.5, 1, 2}, albedos[] = {0.3, 0.5, 0.9};
    for (unsigned r = 0; r < 3; ++r)
        for (unsigned a = 0; a < 3; ++a)
            EXPECT_NEAR(albedo_of_street(ratios[r], albedos[a]), known[r][a], 0.01 * known[r][a])
                << ratios[r] << ' ' << albedos[a];
}

TEST(LesRadiosity, AStreetAsWarmAsTheSkyGainsNoHeat) {
    expect_balance_with_the_sky(shining(street(16, 16)));
}

TEST(LesRadiosity, EnergyIsBalanced) {
    const parameters p = shining(two_blocks());
    const std::size_t count = facet_list(p).count();
    radiosity all(p);
    all.update(temperatures(count).data());
    EXPECT_EQ(all.account().solved, 1);
    EXPECT_LT(all.account().imbalance, 1e-6);
    EXPECT_LT(all.account().residual, 1e-6);
}

/// The plain equation, from the view factors themselves.
void expect_the_equation(const parameters& p) {
    const facet_list facets(p);
    const view_factors views = trace_views(p, facets);
    radiosity all(p);
    const std::vector<float> t = temperatures(facets.count());
    all.update(t.data());
    std::vector<double> leaves(facets.count()), next(facets.count());
    const auto reflects = [&](std::size_t n) {
        return 1 -
               p.surfaces[static_cast<unsigned>(part_of(facets[n].direction, facets[n].k > 0))][1];
    };
    const auto received = [&](std::size_t n) {
        double sum = views.sky[n] * sky_radiation;
        for (std::size_t at = views.first[n]; at < views.first[n + 1]; ++at)
            sum +=
                double(views.shared.data()[at]) / views.area[n] * leaves[views.column.data()[at]];
        return sum;
    };
    for (int sweep = 0; sweep < 40; ++sweep) {
        for (std::size_t n = 0; n < facets.count(); ++n)
            next[n] =
                (1 - reflects(n)) * sigma * std::pow(double(t[n]), 4) + reflects(n) * received(n);
        leaves.swap(next);
    }
    for (std::size_t n = 0; n < facets.count(); ++n)
        ASSERT_NEAR(all.heat()[n], received(n), 2e-4) << n;  // W/m2
}

TEST(LesRadiosity, FacetsReceiveWhatTheEquationSays) {
    cpu::set_threads(2);
    expect_the_equation(shining(two_blocks()));
    expect_the_equation(shining(wide_city()));
    cpu::set_threads(1);
}

/// The rows are those of the nodes, leaves too, and their columns name the rows of others.
TEST(LesRadiosity, RowsGoBySquares) {
    parameters p = with_layer(shining(wide_city()), 0.5, 1, 2);
    const facet_list facets(p);
    ASSERT_GT(facets.leaves().size(), 0u);
    const std::vector<std::uint32_t> node = square_by_square(p, facets);
    std::vector<std::uint32_t> row(node.size(), ~0u);
    for (std::uint32_t n = 0; n < node.size(); ++n) row.at(node[n]) = n;
    EXPECT_EQ(std::count(row.begin(), row.end(), ~0u), 0);
    EXPECT_FALSE(std::is_sorted(node.begin(), node.end()));
    const view_factors of = trace_views(p, facets, 16), ordered = in_order(of, node, row);
    for (std::size_t n = 0; n < node.size(); ++n) {
        const std::uint64_t from = of.first[node[n]], to = ordered.first[n];
        ASSERT_EQ(ordered.first[n + 1] - to, of.first[node[n] + 1] - from);
        EXPECT_EQ(ordered.area[n], of.area[node[n]]);
        EXPECT_EQ(ordered.sky[n], of.sky[node[n]]);
        for (std::uint64_t at = 0; at < ordered.first[n + 1] - to; ++at) {
            ASSERT_EQ(node[ordered.column.data()[to + at]], of.column.data()[from + at]);
            ASSERT_EQ(ordered.shared.data()[to + at], of.shared.data()[from + at]);
        }
    }
}

TEST(LesRadiosity, SweepsFollowSmallChangesAndTheSolverLargeOnes) {
    const parameters p = shining(two_blocks(), 0.9);
    const std::size_t count = facet_list(p).count();
    radiosity swept(p), solved(p);
    swept.update(temperatures(count).data());
    swept.update(temperatures(count, 0.1f).data());
    EXPECT_EQ(swept.account().solved, 1);
    solved.update(temperatures(count, 0.1f).data());
    for (std::size_t n = 0; n < count; ++n) ASSERT_NEAR(swept.heat()[n], solved.heat()[n], 1e-3);
    EXPECT_LT(swept.account().imbalance, 1e-6);
}

TEST(LesRadiosity, SameBitsOnAnyNumberOfThreads) {
    const parameters p = shining(two_blocks());
    const std::size_t count = facet_list(p).count();
    std::vector<float> first;
    for (const int threads : {1, 3}) {
        cpu::set_threads(threads);
        radiosity all(p);
        all.update(temperatures(count).data());
        all.update(temperatures(count, 1).data());
        std::vector<float> received(all.heat(), all.heat() + count);
        received.insert(received.end(), all.light(), all.light() + count);
        if (first.empty())
            first = received;
        else
            EXPECT_EQ(first, received);
    }
    cpu::set_threads(1);
}

TEST(LesRadiosity, AnImbalanceMakesATrialWrong) {
    const parameters p = shining(two_blocks());
    const facet_list facets(p);
    view_factors views = trace_views(p, facets);
    measure::trial sound, broken;
    const std::vector<float> t = temperatures(facets.count());
    radiosity right(p, facets, trace_views(p, facets));
    right.update(t.data());
    record(sound, right);
    EXPECT_EQ(sound.wrong_elements, 0u);
    for (std::size_t at = 0; at < views.nonzeros() / 2; ++at) views.shared.data()[at] *= 1.01f;
    radiosity wrong(p, facets, std::move(views));
    wrong.update(t.data());
    record(broken, wrong);
    EXPECT_EQ(broken.wrong_elements, 1u);
    EXPECT_NE(broken.notes.back().find("out of balance"), std::string::npos);
}

/// A wall that is steady conducts what it gains, with what it receives from other facets.
TEST(LesRadiosity, SteadyFacetsConductTheirNetGain) {
    const parameters p = shining(two_blocks());
    facets all(p);
    std::vector<double> air(2 * all.count(), 1), flux(all.count());
    for (int step = 0; step < 400; ++step) {
        all.radiate();
        all.step(air.data(), flux.data(), 36000);
    }
    all.radiate();
    const facet_list places(p);
    for (std::size_t n = 0; n < all.count(); n += 7) {
        const facet f = all[n];
        const surface_kind kind =
            kind_of(p.surfaces, part_of(places[n].direction, places[n].k > 0));
        const double t = f.temperature[0];
        const double gain =
            kind.emissivity() * (all.exchange()->heat()[n] - sigma * t * t * t * t) -
            flux[n] * rho_cp + (1 - double(kind.albedo)) * all.exchange()->light()[n];
        EXPECT_NEAR(conducted(f), gain, 0.02);  // W/m2; temperatures are kept in fp32
    }
}

}  // namespace
}  // namespace watari::les
