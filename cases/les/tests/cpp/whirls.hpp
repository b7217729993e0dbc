// Flows that are known: vortices that decay, and whirls around a block that keep their energy.
#pragma once

#include "small_city.hpp"

namespace watari::les {

/// Mean kinetic energy, over open faces.
template <class Real>
double energy(const small_city<Real>& city, const simulation<Real>& air) {
    const auto& u = air.flow().now.velocity;
    return 0.5 * city.mean([&](std::size_t at) {
        return double(u[0][at]) * u[0][at] + double(u[1][at]) * u[1][at] +
               double(u[2][at]) * u[2][at];
    });
}

/// Air without walls and weight.
inline parameters open_air(advection by, std::size_t n = 16, double d = 1) {
    parameters p = city_of({n, n, 8}, d);
    p.air = inviscid();
    p.air.gravity = 0;
    p.air.walls = p.air.ground = surface::slip;
    p.advection = by;
    p.cycles = 6;
    p.grid = p.whole_grid();
    return p;
}

struct vortices {
    double error, energy;
};

/// Decaying vortices of Taylor and Green in x and y, in a wind along x, until t = 1: the error of u
/// and v, and without wind the energy over the exact one.
template <class Real>
vortices decayed(advection by, std::size_t n, int steps, double wind) {
    const double nu = 0.02, d = 2 * std::numbers::pi / double(n);
    parameters p = open_air(by, n, d);
    p.air.nu = nu;
    p.dt = 1.0 / steps;
    small_city<Real> city(p);
    const auto u = [](double x, double y) { return std::sin(x) * std::cos(y); };
    const auto v = [](double x, double y) { return -std::cos(x) * std::sin(y); };
    city.set({[&](double x, double y, double) { return wind + u(x, y); },
              [&](double x, double y, double) { return v(x, y); }, still, still});
    started air(city);
    const double first = 0.25;  // mean of (u^2 + v^2) / 2
    air.steps(steps);
    const double decay = std::exp(-2 * nu);
    double sum = 0;
    const auto& now = air.flow().now.velocity;
    city.each([&](std::size_t, std::size_t j, std::size_t i, std::size_t at) {
        const double x = d * double(i) - wind, y = d * double(j), h = d / 2;  // moved by the wind
        const double in_u = now[0][at] - wind - decay * u(x, y + h);
        const double in_v = now[1][at] - decay * v(x + h, y);
        sum += in_u * in_u + in_v * in_v;
    });
    return {std::sqrt(sum / 2 / double(p.whole.cells())),
            energy(city, air) / (first * decay * decay)};
}

/// Air without friction and weight around a block.
inline parameters around_a_block(double dt) {
    parameters p = city_of({16, 16, 16}, 1.0 / 16, 5, 10, 6);
    p.air = inviscid();
    p.air.gravity = 0;
    p.dt = dt;
    p.cycles = 8;
    p.first_cycles = 12;
    return p;
}

/// A wind along x with whirls in all three directions.
template <class Real>
void set_whirls(small_city<Real>& city, const typename small_city<Real>::function& theta) {
    using std::cos, std::sin, std::numbers::pi;
    city.set({[](double, double y, double z) { return 1 + 0.3 * sin(2 * pi * y) * cos(pi * z); },
              [](double x, double, double z) { return 0.3 * sin(2 * pi * x) * cos(2 * pi * z); },
              [](double x, double, double z) { return 0.3 * sin(pi * z) * cos(2 * pi * x); },
              theta});
}

template <class Real>
void expect_nothing_through_walls(const small_city<Real>& city, const simulation<Real>& air) {
    city.each([&](auto, auto, auto, std::size_t at) {
        for (unsigned a = 0; a < 3; ++a) {
            const bool closed = !(city.flags()[at] & flag::low(a));
            EXPECT_TRUE(!closed || air.flow().now.velocity[a][at] == 0);
        }
    });
}

}  // namespace watari::les
