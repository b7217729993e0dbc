/// An urban large-eddy simulation whose city is warmed by the CPU: what does a part that stayed on
/// the CPU cost in each style of memory management, and from how many steps apart is it free?
///
/// Boku 2025 measured City-LES on three machines. Here: incompressible Boussinesq air over
/// buildings, three Runge-Kutta stages a step (Williamson 1980), each projected by a fixed number
/// of conjugate gradients with one V-cycle; no number of the iteration ever comes to the host.
///
/// A step moves 283 + 96 bytes a cell for each iteration of a stage in fp32, 859 with two; 81
/// bytes a cell of memory.
///
/// Read next: grid/grid.hpp (where a cell lies), flow/flow.hpp and flow/momentum.hpp (the
/// equations), flow/simulation.hpp (a step), pressure/ (conjugate gradients with one V-cycle),
/// city/ (buildings, and facets.hpp: what the CPU does), touch/ (the way to it), loop.hpp (what is
/// timed), ranks/, styles/ (one program for each style of memory management).
#pragma once

#include "watari/cases/les/grid/grid.hpp"
#include "watari/comm/halo.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace watari::les {

enum class precision { single_precision, double_precision };
enum class surface { rough, smooth, slip };  ///< what a wall does to the air beside it

/// What the CPU reads every N steps; each includes those before it.
enum class touched { none, facets, planes, all };

/// Constants of the air; SI units.
struct constants {
    double nu = 1.5e-5, kappa = 2.1e-5, smagorinsky = 0.1, prandtl = 0.7;
    double roughness = 0.05, karman = 0.4, gravity = 9.81, theta0 = 300;
    double force[2] = {1e-3, 0};
    surface walls = surface::rough, ground = surface::rough, lid = surface::slip;
    double lid_speed = 0;  ///< along x, m/s
};

/// What one of several ranks knows besides: where its part lies, and the others.
class neighbours;

/// One trial. With several ranks each is a process that is called with the same parameters, and
/// takes the GPU of its number among the ranks of its host.
struct parameters {
    std::string style;
    watari::processor processor;
    les::precision precision = precision::single_precision;
    extents whole{};                         ///< cells of the city
    std::array<double, 3> spacing{2, 2, 2};  ///< m, along x, y, z
    std::vector<std::uint16_t> heights;      ///< cells, [y][x] of the whole city
    double dt = 0.1;                         ///< s
    int steps = 1;
    int cycles = 2;        ///< iterations of a projection
    int first_cycles = 6;  ///< of the one before the first step
    les::touched touched = les::touched::none;
    int every = 10;                                                  ///< steps from touch to touch
    watari::processor::type gathers = watari::processor::type::gpu;  ///< who picks the facets' air
    constants air{};
    int threads = 1;
    bool oversubscribe = false;
    extents split{1, 1, 1};
    comm::path path = comm::path::staged;
    les::grid grid{};                                               ///< this rank's part
    neighbours* others = nullptr;                                   ///< null: one rank has all
    std::function<void(int step, double seconds)> progress;         ///< off the clock; may be empty
    std::function<void(int step, const std::byte* planes)> planes;  ///< of each touch that has some
    std::function<void(std::byte* const (&flow)[4])> result;        ///< sees u v w theta at the end

    std::size_t real_bytes() const {
        return precision == precision::single_precision ? sizeof(float) : sizeof(double);
    }
};

/// One trial in one style. A sample is a step. Throws unsupported, beyond_memory, usage_error,
/// error where the flow leaves what the scheme can follow.
measure::trial run(const parameters& p);

}  // namespace watari::les
