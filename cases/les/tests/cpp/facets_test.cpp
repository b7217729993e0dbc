// The energy balance of facets: view of the sky, exchange with other facets, conduction in a wall.
// A touch has the same bits whichever processor gathers the air.
#include "../../native/city/sky.hpp"
#include "../../native/touch/touch.hpp"
#include "radiant_city.hpp"

namespace watari::les {
namespace {

/// Long buildings along y: a canyon as wide as it is high, between x = 32 and 64.
parameters canyon() {
    parameters p = city_of({96, 8, 64}, 1);
    for (const cells building : {cells{0, 32}, {64, 96}}) raise(p, building, {0, 8}, 32);
    return p;
}

TEST(LesFacets, CanyonSeesAsMuchSkyAsTheFormulaSays) {
    const parameters p = canyon();
    const double floor =
        (view_from(p, tallest(p), 0, 0, 4, 47).sky + view_from(p, tallest(p), 0, 0, 4, 48).sky) / 2;
    const double wall =
        (view_from(p, tallest(p), 1, 15, 4, 32).sky + view_from(p, tallest(p), 1, 16, 4, 32).sky) /
        2;
    EXPECT_NEAR(floor, 0.4472, 0.012);  // 16 azimuths
    EXPECT_NEAR(wall, 0.2764, 0.012);
    EXPECT_EQ(view_from(p, tallest(p), 0, 32, 4, 10).sky, 1);  // a roof
    EXPECT_FALSE(view_from(p, tallest(p), 3, 16, 4, 48).lit);  // a wall to the north
}

TEST(LesFacets, FacetsAreCountedAndListedAlike) {
    const parameters p = city_of({16, 16, 16}, 2, 5, 10, 6);
    const facet_counts counts = count_facets(p);
    std::size_t listed[directions]{};
    for_each_facet(p, [&](unsigned d, auto, auto, auto) { ++listed[d]; });
    for (unsigned d = 0; d < directions; ++d) EXPECT_EQ(listed[d], counts.of[d]);
    EXPECT_EQ(counts.of[0], 256u);
    EXPECT_EQ(counts.of[1], 30u);
}

TEST(LesFacets, WhatFacetsGiveEachOtherSumsToZero) {
    cpu::set_threads(1);  // one thread is faster for so few facets
    const parameters p = city_of({16, 16, 16}, 2, 5, 10, 6);
    facets all(p);
    std::vector<float> air(2 * all.count(), 1), flux(all.count());
    std::vector<facet> before;
    for (std::size_t n = 0; n < all.count(); ++n) before.push_back(all[n]);
    const exchanged_heat heat = all.step(air.data(), flux.data(), 2);
    double given = 0, size = 0;
    for (const facet& f : before) {
        const double hidden = f.area * (1.0 - f.sky);
        const double l = f.sky * sky_radiation + (1.0 - f.sky) * heat.environment;
        const double t = f.temperature[0];
        const double j = emissivity * sigma * t * t * t * t + (1 - emissivity) * l;
        given += hidden * (j - heat.environment);
        size += hidden * j;
    }
    EXPECT_GT(size, 1000);
    EXPECT_LT(std::abs(given), 1e-7 * size);
}

TEST(LesFacets, SteadyWallConductsItsNetGain) {
    cpu::set_threads(1);  // one thread is faster for so few facets
    const parameters p = city_of({16, 16, 16}, 2, 5, 10, 6);
    facets all(p);
    std::vector<double> air(2 * all.count(), 1), flux(all.count());
    exchanged_heat heat{};
    for (int step = 0; step < 400; ++step) heat = all.step(air.data(), flux.data(), 36000);
    for (std::size_t n = 0; n < all.count(); n += 7) {
        const facet f = all[n];
        const double t = f.temperature[0];
        const double light = f.direct * sun + f.sky * diffuse + (1.0 - f.sky) * heat.reflected;
        const double l = f.sky * sky_radiation + (1.0 - f.sky) * heat.environment;
        const double gain =
            emissivity * (l - sigma * t * t * t * t) - flux[n] * rho_cp + (1 - albedo) * light;
        EXPECT_NEAR(conducted(f), gain, 0.01);  // W/m2; temperatures are kept in fp32
    }
}

/// Returns theta after six steps; the CPU touches the flow after every second one.
std::vector<float> flow_after(watari::processor::type gathers, touched what, int threads) {
    parameters p = city_of({32, 24, 16}, 2, 5, 10, 6);
    p.gathers = gathers;
    p.touched = what;
    p.every = 2;
    small_city<float> city(p, threads);
    first_flow<float>(city.f, city.p);
    started air(city);
    touch<float> cpu(city.f, city.p, {});
    for (int step = 1; step <= 6; ++step) {
        air.step(nullptr);
        if (step % 2 == 0) cpu(air.flow().now, nullptr);
    }
    const float* theta = air.flow().now.theta;
    return {theta, theta + p.grid.points()};
}

TEST(LesTouch, SameBitsWhateverItReadsAndOnAnyNumberOfThreads) {
    using who = watari::processor::type;
    const auto one = flow_after(who::gpu, touched::facets, 1);
    EXPECT_EQ(one, flow_after(who::cpu, touched::facets, 1));
    EXPECT_EQ(one, flow_after(who::gpu, touched::all, 3));
    EXPECT_NE(one, flow_after(who::gpu, touched::none, 1));
}

TEST(LesTouch, ProfilesAreSumsOverPlanes) {
    parameters p = city_of({36, 24, 16}, 2, 5, 10, 6);  // rows are no multiple of eight
    p.touched = touched::all;
    small_city<float> city(p);
    first_flow<float>(city.f, city.p);
    const motion<float> now = flow_of<float>(city.f, city.p).now;
    for (std::size_t n = 0; n < p.grid.points(); ++n) now.theta[n] = 1 + static_cast<float>(n % 7);
    touch<float> cpu(city.f, city.p, {});
    cpu(now, nullptr);
    for (std::size_t k = 0; k < p.grid.size.z; ++k) {
        profile sum{};
        for (std::size_t j = 0; j < p.grid.size.y; ++j)
            for (std::size_t i = 0; i < p.grid.size.x; ++i) {
                const std::size_t at = p.grid.at(k, j, i);
                const double u = now.velocity[0][at], w = now.velocity[2][at], t = now.theta[at];
                sum.u += u, sum.uw += u * w, sum.theta += t, sum.wt += w * t;
            }
        const profile& taken = cpu.profiles().at(k);
        EXPECT_NEAR(taken.u, sum.u, 1e-9);
        EXPECT_NEAR(taken.uw, sum.uw, 1e-9);
        EXPECT_NEAR(taken.theta, sum.theta, 1e-9);
        EXPECT_NEAR(taken.wt, sum.wt, 1e-9);
    }
}

/// Copies of a style: the CPU has arrays of its own, and reads only copied data.
TEST(LesTouch, CopiesBringAllThatTheCpuReads) {
    for (const auto what : {touched::facets, touched::planes, touched::all})
        for (const auto gathers : {watari::processor::type::cpu, watari::processor::type::gpu}) {
            parameters p = city_of({32, 24, 16}, 2, 5, 10, 6);
            p.gathers = gathers;
            p.touched = what;
            small_city<float> city(p), twin(p);
            first_flow<float>(city.f, city.p);
            reach copies;
            for (unsigned n = 0; n < 4; ++n) copies.twin[n] = twin.f.flow[n];
            copies.twin[4] = twin.f.facets;
            copies.bring = [](const region& r) {
                for (std::size_t n = 0; n < r.rows; ++n)
                    std::copy_n(r.data + n * r.stride, r.bytes, r.twin + n * r.stride);
            };
            copies.send = [](const region& r) { std::copy_n(r.twin, r.bytes, r.data); };
            copies.wait = [] {};
            // a GPU's: the CPU packs where gather=cpu
            city.p.processor = gathers == watari::processor::type::cpu ? gpu_number(0) : the_cpu;
            const flow_arguments<float> flow = flow_of<float>(city.f, city.p);
            touch<float> copied(city.f, city.p, copies);
            copied(flow.now, nullptr);
            city.p.processor = the_cpu;
            const std::size_t count = count_facets(p).all();
            const auto seen = facets_in<float>(city.f.facets, count);
            const std::vector<float> fluxes(seen.flux, seen.flux + count);
            touch<float> direct(city.f, city.p, {});
            direct(flow.now, nullptr);
            EXPECT_EQ(fluxes, std::vector<float>(seen.flux, seen.flux + count));
        }
}

}  // namespace
}  // namespace watari::les
