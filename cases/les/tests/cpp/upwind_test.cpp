// The third-order flux of momentum, and the measure of the shortest waves.
#include "../../native/flow/survey.hpp"
#include "small_city.hpp"

namespace watari::les {
namespace {

using std::numbers::pi;

parameters open_air(advection by, std::size_t n = 16, double d = 1) {
    parameters p = city_of({n, n, 8}, d);
    p.air = inviscid();
    p.air.gravity = 0;
    p.air.walls = p.air.ground = surface::slip;
    p.advection = by;
    p.cycles = 6;
    p.grid = p.whole_grid();
    return p;
}

double still(double, double, double) { return 0; }

template <class Real>
double share_of(const small_city<Real>& city, const simulation<Real>& air) {
    const wave_energy seen = kernels_on<survey_kernels<Real>>(the_cpu).waves(
        city.p.grid, air.flow().now, city.flags(), nullptr);
    return seen.shortest / seen.all;
}

/// Shares of the energy of v in a wind along x: after some steps, over the first one.
double wave_left(advection by) {
    parameters p = open_air(by);
    p.dt = 0.2;
    small_city<double> city(p);
    city.set(0, [](double, double, double) { return 1; });
    city.set(1, [](double x, double, double) { return 1e-2 * std::sin(pi * x); });  // x: centres
    city.set(2, still);
    city.set(3, still);
    simulation<double> air(city.f, city.p);
    air.start(nullptr);
    const double before = share_of(city, air);
    for (int step = 0; step < 40; ++step) air.step(nullptr);
    return share_of(city, air) / before;
}

TEST(LesUpwind, AWaveOfTwoCellsDecays) {
    EXPECT_NEAR(wave_left(advection::central), 1, 1e-6);
    EXPECT_LT(wave_left(advection::third), 0.01);
}

TEST(LesUpwind, TheMeasureSeesAWaveByItsLength) {
    const auto share = [](double cells) {
        parameters p = open_air(advection::central, 24);
        small_city<double> city(p);
        city.set(0, still);
        city.set(1, [&](double x, double, double) { return std::sin(2 * pi * x / cells); });
        city.set(2, still);
        city.set(3, still);
        simulation<double> air(city.f, city.p);
        return share_of(city, air) * 24 / 23;  // the last cell has no four in a row
    };
    for (const double cells : {2.0, 3.0, 4.0, 6.0, 12.0})
        EXPECT_NEAR(share(cells), std::pow(std::sin(pi / cells), 6), 0.02) << cells;
}

/// Decaying vortices as in flow_test.cpp, in a wind along x: the error of u and v at t = 1.
double vortices_in_wind(advection by, std::size_t n) {
    const double nu = 0.02, d = 2 * pi / double(n);
    parameters p = open_air(by, n, d);
    p.air.nu = nu;
    const int steps = static_cast<int>(n) * 3;
    p.dt = 1.0 / steps;
    small_city<double> city(p);
    const auto u = [](double x, double y) { return 1 + std::sin(x) * std::cos(y); };
    const auto v = [](double x, double y) { return -std::cos(x) * std::sin(y); };
    city.set(0, [&](double x, double y, double) { return u(x, y); });
    city.set(1, [&](double x, double y, double) { return v(x, y); });
    city.set(2, still);
    city.set(3, still);
    simulation<double> air(city.f, city.p);
    air.start(nullptr);
    for (int step = 0; step < steps; ++step) air.step(nullptr);
    const double decay = std::exp(-2 * nu);
    double sum = 0;
    const auto& now = air.flow().now.velocity;
    city.each([&](std::size_t, std::size_t j, std::size_t i, std::size_t at) {
        const double x = d * double(i) - 1, y = d * double(j), h = d / 2;  // moved by the wind
        const double in_u = now[0][at] - 1 - decay * (u(x, y + h) - 1);
        const double in_v = now[1][at] - decay * v(x + h, y);
        sum += in_u * in_u + in_v * in_v;
    });
    return std::sqrt(sum / 2 / double(p.whole.cells()));
}

TEST(LesUpwind, VorticesStayOfSecondOrder) {
    const double of16 = vortices_in_wind(advection::third, 16),
                 of32 = vortices_in_wind(advection::third, 32);
    EXPECT_GT(of16 / of32, 3.5);
    EXPECT_LT(of32, vortices_in_wind(advection::central, 32));
}

/// Returns the kinetic energy after a second over the first around a block, and checks that closed
/// faces stay 0.
double energy_with(advection by) {
    parameters p = city_of({16, 16, 16}, 1.0 / 16, 5, 10, 6);
    p.air = inviscid();
    p.air.gravity = 0;
    p.dt = 0.02;
    p.cycles = 8;
    p.first_cycles = 12;
    p.advection = by;
    p.grid = p.whole_grid();
    small_city<double> city(p);
    city.set(0, [](double, double y, double z) {
        return 1 + 0.3 * std::sin(2 * pi * y) * std::cos(pi * z);
    });
    city.set(1, [](double x, double, double z) {
        return 0.3 * std::sin(2 * pi * x) * std::cos(2 * pi * z);
    });
    city.set(2, [](double x, double, double z) {
        return 0.3 * std::sin(pi * z) * std::cos(2 * pi * x);
    });
    city.set(3, still);
    simulation<double> air(city.f, city.p);
    air.start(nullptr);
    const auto energy = [&] {
        return city.mean([&](std::size_t at) {
            double sum = 0;
            for (const double* u : air.flow().now.velocity) sum += u[at] * u[at];
            return sum;
        });
    };
    const double before = energy();
    for (int step = 0; step < 50; ++step) air.step(nullptr);
    city.each([&](auto, auto, auto, std::size_t at) {
        for (unsigned a = 0; a < 3; ++a) {
            const bool closed = !(city.flags()[at] & flag::low(a));
            EXPECT_TRUE(!closed || air.flow().now.velocity[a][at] == 0);
        }
    });
    return energy() / before;
}

TEST(LesUpwind, OnlyTheCentralFluxKeepsTheEnergy) {
    EXPECT_NEAR(energy_with(advection::central), 1, 1e-3);
    const double left = energy_with(advection::third);
    EXPECT_LT(left, 0.995);
    EXPECT_GT(left, 0.7);
}

}  // namespace
}  // namespace watari::les
