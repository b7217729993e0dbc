// Moisture and mist: evaporation, transport, and the budgets of water and heat.
#include "../../native/flow/budget.hpp"
#include "small_city.hpp"

#include <limits>

namespace watari::les {
namespace {

using std::numbers::pi;

template <class Real>
struct parcel {
    Real theta = 5, q = 0, l;  ///< 305 K, humidity 0.012

    void dry(const constants& air, double seconds) {
        const drying<Real> by = drying_of<Real>(air, seconds);
        const Real e = cpu::evaporated(by, theta, q, l);
        q += e, l -= e, theta -= by.cooling * e;
    }
};

struct drops {
    double pressure, l, seconds, temperature, q, left;
};
constexpr drops golden_drops[] = {
    {1e5, 0.002, 0.1, 304.098162951, 0.012362538494, 0.001637461506},
    {101325, 0.002, 0.1, 304.098162951, 0.012362538494, 0.001637461506},
    {1e5, 0.002, 1, 300.698185489, 0.013729329434, 0.000270670566},
    {101325, 0.002, 1, 300.698185489, 0.013729329434, 0.000270670566},
    {1e5, 0.002, 60, 300.024875622, 0.014, 0},
    {101325, 0.002, 60, 300.024875622, 0.014, 0},
    {1e5, 0.02, 0.1, 303.131810956, 0.012751011996, 0.019248988004},
    {1e5, 0.02, 1, 296.088630986, 0.015582370344, 0.016417629656},
    {1e5, 0.02, 60, 294.693844514, 0.016143074505, 0.015856925495},
    {101325, 0.02, 1, 296.221095309, 0.015529119686, 0.016470880314},
    {101325, 0.02, 60, 294.847041841, 0.016081489180, 0.015918510820},
};

template <class Real>
parcel<Real> after(const drops& row, unsigned parts = 1) {
    constants air;
    air.pressure = row.pressure;
    parcel<Real> of{.l = Real(row.l)};
    for (unsigned n = 0; n < parts; ++n) of.dry(air, row.seconds / parts);
    return of;
}

TEST(LesMist, DropletsEvaporateAsInTheTable) {
    // the table has Bolton's exponential, the kernel a polynomial with coefficients of ten digits
    constexpr double of_polynomial = 3e-11;
    for (const drops& row : golden_drops) {
        const auto made = after<double>(row);
        EXPECT_NEAR(300 + made.theta, row.temperature, 1e-9 * row.temperature);
        EXPECT_NEAR(0.012 + made.q, row.q, of_polynomial);
        EXPECT_NEAR(made.l, row.left, of_polynomial);
    }
}

TEST(LesMist, APartOfTheTimeStepChangesNothing) {
    for (const drops& row : golden_drops)
        EXPECT_NEAR(after<double>(row, 7).q, after<double>(row).q, 1e-10 * row.q) << row.seconds;
}

TEST(LesMist, SinglePrecisionHasTheWetBulbAndTheEnthalpy) {
    for (const drops& row : golden_drops) {
        const auto made = after<float>(row);
        EXPECT_NEAR(300 + double(made.theta), row.temperature, 1e-4);
        const double cooled = 5 - double(made.theta), latent = latent_heat / heat_capacity;
        EXPECT_NEAR(cooled, latent * double(made.q), 1e-5 * cooled);
    }
}

double saturation(double kelvin, double pressure) {  // Bolton 1980
    const double es = 611.2 * std::exp(17.67 * (kelvin - 273.15) / (kelvin - 29.65));
    return 0.622 * es / (pressure - 0.378 * es);
}

TEST(LesMist, NoAirBecomesMoreThanSaturated) {
    const constants air;
    for (double kelvin = 263; kelvin <= 323; kelvin += 0.5)
        for (const double wetness : {0.0, 0.5, 0.95, 1.2}) {
            if (wetness > 1 && kelvin > 310) continue;  // condensation would warm it beyond 323 K
            parcel<double> of{kelvin - air.theta0, wetness * saturation(kelvin, air.pressure),
                              0.05};
            of.q -= air.humidity;
            of.dry(air, 1e3);
            const double most = saturation(air.theta0 + of.theta, air.pressure);
            EXPECT_NEAR(air.humidity + of.q, most, 2e-8 * most) << kelvin << " " << wetness;
        }
}

/// A block in a street, nozzles beside it and on the edge of the grid.
parameters misty(double dt, extents size = {16, 16, 16}) {
    parameters p = city_of(size, 2, 5, 10, 6);
    p.dt = dt;
    p.mist = {4, 6, 1, 2e-3, 0, 0, 0, 1e-3, 15, 15, 3, 1e-3, 4, 6, 1, 1e-3, 7, 7, 6, 3e-3};
    p.grid = p.whole_grid();
    return p;
}

/// Runs a city with warm facets; returns its budgets.
template <class Real>
water_budget budget_after(parameters given, int steps) {
    small_city<Real> city(std::move(given));
    first_flow<Real>(city.f, city.p);
    const facet_counts facets = count_facets(city.p);
    const auto arrays = facets_in<Real>(city.f.facets, facets.all());
    double warming = 0;
    for (std::size_t n = 0; n < facets.of[0]; ++n) {
        arrays.flux[n] = Real(0.1);
        warming += double(arrays.flux[n]) / city.p.spacing[2];
    }
    started air(city);
    const auto theta = [&] {
        return city.mean([&](std::size_t at) { return double(air.flow().now.theta[at]); }) *
               double(city.p.grid.size.cells());
    };
    water_budget budget(city.p);
    budget.start(theta());
    for (int step = 0; step < steps; ++step) air.step(nullptr), budget.step(warming);
    budget.compare(kernels_on<moisture_kernels<Real>>(the_cpu).look(air.flow(), nullptr), theta(),
                   budget.warmed(), double(city.p.grid.size.cells()));
    return budget;
}

TEST(LesMist, WaterAndHeatAreKept) {
    const water_budget fine = budget_after<double>(misty(0.2), 50),
                       single = budget_after<float>(misty(0.2), 50);
    EXPECT_LT(fine.water(), 1e-10);
    EXPECT_LT(fine.heat(), 1e-10);
    EXPECT_LT(single.water(), 1e-4);
    EXPECT_LT(single.heat(), 1e-4);
    for (const water_budget& each : {fine, single}) {
        EXPECT_TRUE(each.closed());
        EXPECT_GE(each.now().least_l, 0);
        EXPECT_GT(each.now().vapour, each.now().droplets);
        EXPECT_GT(each.now().droplets, 0);
    }
}

TEST(LesMist, ABudgetSeesWaterAndHeatThatAreMissing) {
    water_budget of(misty(0.2));
    of.start(10);
    of.step(0);
    const double released = of.released(), cooling = latent_heat / heat_capacity;
    of.compare({0, 0, 0}, 10, 0, 4096);
    EXPECT_FALSE(of.closed());
    of.compare({0, released, 0}, 10, 0, 4096);
    EXPECT_TRUE(of.closed());
    of.compare({released, 0, 0}, 10 - cooling * released, 0, 4096);
    EXPECT_TRUE(of.closed());
    of.compare({released, 0, 0}, 10, 0, 4096);
    EXPECT_FALSE(of.closed());
    of.compare({released, 0, -1e-12}, 10 - cooling * released, 0, 4096);
    EXPECT_FALSE(of.closed());
}

/// Mist whose droplets do not evaporate.
parameters without_drying(double dt, int cycles) {
    parameters p = misty(dt);
    p.air.droplet_time = std::numeric_limits<double>::infinity();
    p.cycles = cycles;
    return p;
}

/// Carries sharp edges of q and l without evaporation, at a Courant number above 1.
template <class Real>
void carry_alone() {
    const parameters p = without_drying(0.45, 6);
    small_city<Real> city(p);
    first_flow<Real>(city.f, city.p);
    started air(city);
    Real* const q = air.flow().wet[0];
    city.each([&](std::size_t k, std::size_t j, std::size_t i, std::size_t at) {
        if (city.flags()[at] & flag::fluid)
            q[at] = Real((i / 4 + j / 4 + k / 4) % 2 ? 1e-3 : -2e-3);
    });
    kernels_on<moisture_kernels<Real>>(the_cpu).go_around(city.p.grid, q, nullptr);
    const double rounding = 1e-5 * 3e-3;  // and the divergence that the cycles leave
    double moved = 0, least = 0, most = 0;
    for (int step = 0; step < 30; ++step) {
        air.step(nullptr);
        city.each([&](auto, auto, auto, std::size_t at) {
            const auto& wet = air.flow().wet;
            least = std::min<double>(least, wet[0][at]);
            most = std::max<double>(most, wet[0][at]);
            EXPECT_GE(wet[1][at], 0) << step;
            moved = std::max(moved, std::abs(double(wet[0][at])) - 1e-3);
        });
    }
    EXPECT_GT(least, -2e-3 - rounding);
    EXPECT_LT(most, 1e-3 + rounding);
    EXPECT_GT(moved, 0);
}

TEST(LesMist, TransportAloneLeavesNoRange) {
    carry_alone<double>();
    carry_alone<float>();
}

/// Every cell of air keeps q where all have the same, beside walls too.
TEST(LesMist, UniformVapourStays) {
    parameters p = without_drying(0.2, 8);
    p.mist.resize(4);
    small_city<double> city(p);
    first_flow<double>(city.f, city.p);
    started air(city);
    double* const q = air.flow().wet[0];
    city.each([&](auto, auto, auto, std::size_t at) {
        q[at] = city.flags()[at] & flag::fluid ? 1e-3 : 0;
    });
    kernels_on<moisture_kernels<double>>(the_cpu).go_around(city.p.grid, q, nullptr);
    air.steps(10);
    city.each([&](auto, auto, auto, std::size_t at) {
        EXPECT_NEAR(air.flow().wet[0][at], city.flags()[at] & flag::fluid ? 1e-3 : 0, 1e-9);
    });
}

/// Heavy droplets pull air down, vapour lifts it.
TEST(LesMist, VapourRisesAndDropletsSink) {
    for (const unsigned which : {0u, 1u}) {
        parameters p = without_drying(0.1, 2);
        p.air.force[0] = 0;
        small_city<double> city(p);
        city.set({still, still, still, still});
        started air(city);
        const std::size_t at = city.p.grid.at(8, 2, 2);
        air.flow().wet[which][at] = 1e-3;
        air.step(nullptr);
        const double w = air.flow().now.velocity[2][at];
        EXPECT_GT(which == 0 ? w : -w, 1e-6);
    }
}

TEST(LesMist, DryAirHasNoArraysOfMoisture) {
    fields f;
    parameters p = city_of({16, 16, 16}, 2);
    const std::size_t dry = arrays(f, p).size();
    EXPECT_EQ(p.whole_grid().points(), p.grid.points());
    EXPECT_EQ(arrays(f, misty(0.2)).size(), dry + 5);  // and a flag
}

}  // namespace
}  // namespace watari::les
