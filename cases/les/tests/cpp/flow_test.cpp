// Properties of the equations on small grids: order, energy, rest.
#include "whirls.hpp"

#include "../../native/flow/bounds.hpp"
#include "../../native/flow/survey.hpp"
#include "../../native/loop.hpp"
#include "errors.hpp"
#include "watari/core/error.hpp"

#include <string>

namespace watari::les {
namespace {

using std::numbers::pi;

template <class Real>
vortices taylor_green(std::size_t n) {
    return decayed<Real>(advection::central, n, static_cast<int>(n) * 2, 0);
}

TEST(LesFlow, VorticesDecayToSecondOrder) {
    const vortices of16 = taylor_green<double>(16), of32 = taylor_green<double>(32),
                   of64 = taylor_green<double>(64), single = taylor_green<float>(16);
    EXPECT_NEAR(of16.error, 2.457e-4, 2e-7);
    EXPECT_NEAR(of32.error, 6.166e-5, 1e-7);
    EXPECT_NEAR(of64.error, 1.543e-5, 1e-7);
    EXPECT_NEAR(single.error, 2.457e-4, 1e-6);
    EXPECT_NEAR(of16.energy, 1.00102, 1e-5);
    EXPECT_NEAR(of32.energy, 1.000257, 1e-6);
    EXPECT_NEAR(of64.energy, 1.0000642, 1e-6);
}

struct losses {
    double energy, theta2;
};

/// Returns the lost shares of kinetic energy and of the sum of theta^2 until t = 1 around a block.
losses inviscid_losses(double dt) {
    small_city<double> city(around_a_block(dt));
    set_whirls(city, [](double x, double y, double) {
        return std::sin(2 * pi * x) * std::sin(2 * pi * y);
    });
    started air(city);
    const auto theta = [&](unsigned power) {
        return city.mean([&](std::size_t at) {
            return std::pow(air.flow().now.theta[at], static_cast<double>(power));
        });
    };
    const double before = energy(city, air), squares = theta(2), sum = theta(1);
    air.steps(static_cast<int>(std::lround(1 / dt)));
    EXPECT_NEAR(theta(1), sum, 1e-15);  // walls let no heat through
    expect_nothing_through_walls(city, air);
    return {1 - energy(city, air) / before, 1 - theta(2) / squares};
}

TEST(LesFlow, AdvectionKeepsEnergyToThirdOrderInTime) {
    const losses coarse = inviscid_losses(0.02), fine = inviscid_losses(0.01);
    EXPECT_LT(std::abs(coarse.energy), 1e-3);
    EXPECT_LT(std::abs(coarse.theta2), 1e-2);
    EXPECT_GT(coarse.energy / fine.energy, 6);
    EXPECT_GT(coarse.theta2 / fine.theta2, 6);
}

TEST(LesFlow, LayeredAirStaysAtRest) {
    parameters p = city_of({16, 16, 16}, 2, 5, 10, 6);
    p.air.force[0] = 0;
    p.dt = 0.5;
    small_city<float> city(p);
    city.set({still, still, still, [](double, double, double z) { return z / 100; }});
    started air(city);
    air.steps(100);
    double most = 0;
    city.each([&](auto, auto, auto, std::size_t at) {
        for (unsigned a = 0; a < 3; ++a)
            most = std::max<double>(most, std::abs(air.flow().now.velocity[a][at]));
    });
    EXPECT_GT(most, 0);
    EXPECT_LT(most, 1e-5);
}

/// Returns the change of the mean of theta by rounding in 200 steps. Facets give no heat.
template <class Real>
double heat_gained() {
    parameters p = city_of({16, 16, 16}, 2, 5, 10, 6);
    small_city<Real> city(p);
    first_flow<Real>(city.f, city.p);
    started air(city);
    const auto mean = [&] {
        return city.mean([&](std::size_t at) { return double(air.flow().now.theta[at]); });
    };
    const double before = mean();
    air.steps(200);
    return std::abs(mean() - before);
}

TEST(LesFlow, AdiabaticAirKeepsItsHeat) {
    EXPECT_LT(heat_gained<double>(), 1e-15);
    EXPECT_LT(heat_gained<float>(), 1e-8);
}

/// Root mean square of the divergence after a step, over U/dx.
double divergence_left(int cycles) {
    parameters p = city_of({32, 32, 32}, 2, 12, 20, 8);
    p.cycles = cycles;
    small_city<float> city(p);
    first_flow<float>(city.f, city.p);
    started air(city);
    air.step(nullptr);
    const double none[3] = {0, 0, 0}, per_cell[3] = {1, 1, 1};
    const condition now = kernels_on<survey_kernels<float>>(the_cpu).look(
        p.grid, air.flow().now, city.flags(), none, per_cell, nullptr);
    return std::sqrt(now.divergence2 / (2 * now.energy));
}

TEST(LesFlow, APressureThatHasNotConvergedIsBeyondTheBound) {
    const extents whole{32, 32, 32};
    EXPECT_LT(divergence_left(1), most_divergence(whole, 1));
    EXPECT_GT(divergence_left(1), most_divergence(whole, 2));
    EXPECT_LT(divergence_left(2), most_divergence(whole, 2));
    EXPECT_LT(divergence_left(3), most_divergence(whole, 3) / 10);
}

TEST(LesFlow, TheBoundIsThatOfAGridWhoseAxesAreHalved) {
    EXPECT_EQ(most_divergence({1024, 96, 80}, 2), 1e-5);
    EXPECT_EQ(most_divergence({64, 18, 64}, 2), 1e-2);
    EXPECT_EQ(most_divergence({64, 64, 56}, 1), 1e-2);
}

TEST(LesFlow, MoreCyclesLeaveLessDivergence) {
    double left[3];
    for (int cycles = 1; cycles <= 3; ++cycles) {
        parameters p = city_of({32, 32, 32}, 2, 12, 20, 8);
        p.dt = 0.2;
        p.cycles = cycles;
        small_city<float> city(p);
        first_flow<float>(city.f, city.p);
        started air(city);
        air.steps(10);
        const auto& u = air.flow().now.velocity;
        double most = 0;
        city.each([&](auto, auto, auto, std::size_t at) {
            double sum = 0;
            for (unsigned a = 0; a < 3; ++a)
                sum += double(u[a][at + p.grid.stride(a)]) - double(u[a][at]);
            most = std::max(most, std::abs(sum) / 4);  // over U = 4 m/s
        });
        left[cycles - 1] = most;
    }
    EXPECT_LT(left[0], 1e-3);
    EXPECT_LT(left[1], 1e-4);
    EXPECT_LT(left[2], 1e-5);
}

/// Returns the message with which prepare refuses a part of this size; empty if it accepts.
std::string refusal(const processor& who, const extents& part) {
    parameters p = city_of({8, 8, 8}, 1);
    p.processor = who;
    p.grid = {part};
    measure::trial trial;
    return message_of<unsupported>([&] { prepare(trial, p, {}); });
}

TEST(LesFlow, MoreCellsThanAGpuCountsAreRefused) {
    EXPECT_NE(refusal(gpu_number(0), {2048, 2048, 512}).find("2147483647 at most"),
              std::string::npos);
    EXPECT_EQ(refusal(the_cpu, {2048, 2048, 512}), "");
    EXPECT_NE(refusal(the_cpu, {2048, 2048, 1024}).find("4294967295 at most"), std::string::npos);
}

}  // namespace
}  // namespace watari::les
