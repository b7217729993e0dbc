// The third-order flux of momentum, and the measure of the shortest waves.
#include "../../native/flow/survey.hpp"
#include "whirls.hpp"

namespace watari::les {
namespace {

using std::numbers::pi;

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
    city.set({[](double, double, double) { return 1; },
              [](double x, double, double) { return 1e-2 * std::sin(pi * x); },  // x: centres
              still, still});
    started air(city);
    const double before = share_of(city, air);
    air.steps(40);
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
        city.set({still, [&](double x, double, double) { return std::sin(2 * pi * x / cells); },
                  still, still});
        simulation<double> air(city.f, city.p);
        return share_of(city, air) * 24 / 23;  // the last cell has no four in a row
    };
    for (const double cells : {2.0, 3.0, 4.0, 6.0, 12.0})
        EXPECT_NEAR(share(cells), std::pow(std::sin(pi / cells), 6), 0.02) << cells;
}

double vortices_in_wind(advection by, std::size_t n) {
    return decayed<double>(by, n, static_cast<int>(n) * 3, 1).error;
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
    parameters p = around_a_block(0.02);
    p.advection = by;
    p.grid = p.whole_grid();
    small_city<double> city(p);
    set_whirls(city, still);
    started air(city);
    const double before = energy(city, air);
    air.steps(50);
    expect_nothing_through_walls(city, air);
    return energy(city, air) / before;
}

TEST(LesUpwind, OnlyTheCentralFluxKeepsTheEnergy) {
    EXPECT_NEAR(energy_with(advection::central), 1, 1e-3);
    const double left = energy_with(advection::third);
    EXPECT_LT(left, 0.995);
    EXPECT_GT(left, 0.7);
}

}  // namespace
}  // namespace watari::les
