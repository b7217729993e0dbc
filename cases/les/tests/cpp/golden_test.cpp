// The golden run: ten steps over one block. Two other programs, one in C++ and one in NumPy with a
// direct solver, gave the same means to every digit.
#include "small_city.hpp"

namespace watari::les {
namespace {

struct tolerances {
    double means, pressure;
};

template <class Real>
void run_golden(int cycles, const tolerances& within) {
    parameters p = city_of({32, 32, 32}, 2, 12, 20, 8);
    p.dt = 0.2;
    p.cycles = cycles;
    p.first_cycles = cycles > 6 ? cycles : 6;
    small_city<Real> city(p);
    first_flow<Real>(city.f, city.p);
    const facet_counts facets = count_facets(p);
    ASSERT_EQ(facets.of[0], 32u * 32);
    ASSERT_EQ(facets.of[1], 64u);
    const auto arrays = facets_in<Real>(city.f.facets, facets.all());
    for (std::size_t n = 0; n < facets.of[0]; ++n) arrays.flux[n] = Real(0.1);
    started air(city);
    air.steps(10);
    kernels_on<flow_kernels<Real>>(the_cpu).viscosity(air.flow(), nullptr);

    const auto& now = air.flow().now;
    const Real *u = now.velocity[0], *v = now.velocity[1], *w = now.velocity[2];
    const Real *theta = now.theta, *nu = air.flow().nu, *pressure = air.flow().p;
    const auto mean = [&](const auto& of) { return city.mean(of); };
    const auto square = [](double x) { return x * x; };
    const auto fluid = [&](std::size_t at) { return city.flags()[at] & flag::fluid ? 1.0 : 0.0; };
    const double air_share = mean(fluid);
    const double level = mean([&](std::size_t at) { return fluid(at) * pressure[at]; }) / air_share;
    const double rms_p = std::sqrt(
        mean([&](std::size_t at) { return fluid(at) * square(pressure[at] - level); }) / air_share);
    double most_w = 0, least_w = 0, most_theta = 0;
    city.each([&](auto, auto, auto, std::size_t at) {
        most_w = std::max<double>(most_w, w[at]);
        least_w = std::min<double>(least_w, w[at]);
        most_theta = std::max<double>(most_theta, theta[at]);
    });
    const auto of_array = [&](const Real* a) {
        return [a](std::size_t at) { return double(a[at]); };
    };
    const auto squares = [&](const Real* a) {
        return [a](std::size_t at) { return double(a[at]) * a[at]; };
    };
    expect_near("u^2", mean(squares(u)), 15.6208907232, within.means);
    expect_near("v^2", mean(squares(v)), 0.3136448763, within.means);
    expect_near("w^2", mean(squares(w)), 0.2730794305, within.means);
    expect_near("u", mean(of_array(u)), 3.8658338574, within.means);
    expect_near("u w", mean([&](std::size_t at) { return double(u[at]) * w[at]; }), -0.027943844041,
                within.means);
    expect_near("p", rms_p, 1.0535515880, within.pressure);
    expect_near("theta^2", mean(squares(theta)), 0.1467683205, within.means);
    expect_near("theta", mean(of_array(theta)), 0.3218750000, within.means);
    expect_near("nu", mean(of_array(nu)), 0.0069601471, within.means);
    expect_near("max w", most_w, 4.5269491441, within.means);
    expect_near("min w", least_w, -2.7359607302, within.means);
    expect_near("max theta", most_theta, 0.8295770715, within.means);
}

TEST(LesGolden, DoublePrecision) { run_golden<double>(8, {1e-9, 1e-9}); }
TEST(LesGolden, SinglePrecision) { run_golden<float>(3, {1e-5, 5e-5}); }

}  // namespace
}  // namespace watari::les
