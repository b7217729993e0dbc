/// An urban large-eddy simulation whose city is warmed by the CPU. The case measures the cost of a
/// part that stays on the CPU, in each style of memory management, and the interval in steps at
/// which this cost vanishes.
///
/// Boku 2025 measured City-LES on three machines. Here: incompressible Boussinesq air over
/// buildings, three Runge-Kutta stages a step (Williamson 1980). Each stage is projected by a fixed
/// number of iterations of conjugate gradients with one V-cycle each; no number of an iteration is
/// copied to the host.
///
/// In fp32 a step moves 283 + 3 x (96 x cycles - 12) bytes per cell, 823 with two cycles; the
/// arrays take 81 bytes per cell. Mist (flow/water/moisture.hpp), advection=third (flow/upwind.hpp)
/// and trees (flow/leaves.hpp) move more.
///
/// Read next: grid/grid.hpp (memory layout), flow/flow.hpp and flow/momentum.hpp (the equations),
/// flow/simulation.hpp (a step), pressure/ (conjugate gradients with one V-cycle), city/
/// (buildings; facets.hpp: the work of the CPU), radiation/ (between facets), touch/ (how the CPU
/// gets the data), loop.hpp (the timed loop), ranks/, styles/ (one program for each style of memory
/// management).
#pragma once

#include "grid/grid.hpp"
#include "radiation/surfaces.hpp"
#include "watari/case/compiler.hpp"
#include "watari/comm/halo.hpp"
#include "watari/core/members.hpp"
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
inline constexpr word<precision> precisions[] = {{"single", precision::single_precision},
                                                 {"double", precision::double_precision}};
enum class surface { rough, smooth, slip };  ///< boundary condition at a wall

/// The data that the CPU reads every N steps; each value includes those before it.
enum class touched { none, facets, planes, all };
inline constexpr word<touched> touched_words[] = {{"none", touched::none},
                                                  {"facets", touched::facets},
                                                  {"planes", touched::planes},
                                                  {"all", touched::all}};

/// The flux of momentum: central, or with the third-order term of upwind.hpp.
enum class advection { central, third };
inline constexpr word<advection> advections[] = {{"central", advection::central},
                                                 {"third", advection::third}};
/// Radiation between facets: one sky and one environment for all, or view factors, on the CPU or on
/// the GPU of the trial.
enum class radiation_on { none, cpu, gpu };
inline constexpr word<radiation_on> radiation_words[] = {
    {"none", radiation_on::none}, {"cpu", radiation_on::cpu}, {"gpu", radiation_on::gpu}};

/// Constants of the air; SI units.
struct constants {
    double nu = 1.5e-5, kappa = 2.1e-5, smagorinsky = 0.1, prandtl = 0.7;
    double roughness = 0.05, karman = 0.4, gravity = 9.81, theta0 = 300;
    double force[2] = {1e-3, 0};
    surface walls = surface::rough, ground = surface::rough, lid = surface::slip;
    double lid_speed = 0;                     ///< along x, m/s
    double pressure = 1e5, humidity = 0.012;  ///< Pa; kg/kg, of the air before mist
    double droplet_time = 0.5;                ///< s, in which droplets evaporate
};

/// The kernels of a style in directives (kernels.hpp).
struct kernel_tables;

/// The radiation on people in the streets (radiation/people.hpp).
struct person_light;

/// The exchanges of one rank with the others (ranks/neighbours.hpp).
class neighbours;

/// The parameters of one trial. With several ranks, each rank is a process with the same
/// parameters, and uses the GPU of its local rank on its host.
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
    int first_cycles = 6;  ///< iterations of the projection before the first step
    les::touched touched = les::touched::none;
    int every = 10;                                                  ///< steps between touches
    watari::processor::type gathers = watari::processor::type::gpu;  ///< gathers the facets' air
    radiation_on radiation = radiation_on::none;
    sun_place sun{45, 180};                  ///< of radiation between facets
    surface_rows surfaces = usual_surfaces;  ///< likewise
    std::string view_folder;                 ///< keeps view factors; empty: they are not kept
    constants air{};
    std::array<double, 2> wind{4, 0};  ///< m/s along x and y: mean of the first flow
    les::advection advection = advection::central;
    std::vector<double> mist;   ///< four numbers a nozzle: its cell along x, y, z, and kg/s
    std::vector<double> trees;  ///< four numbers a cell with leaves: x, y, z, leaf area density
    /// Whether facets begin steady in the first air and light; else they begin at `inside`.
    bool settled = false;
    int threads = 1;
    bool oversubscribe = false;
    extents split{1, 1, 1};
    comm::path path = comm::path::staged;
    cases::compiler by = cases::compiler::gcc;               ///< of a style in directives
    les::grid grid{};                                        ///< this rank's part
    neighbours* others = nullptr;                            ///< null: one rank has the whole grid
    const kernel_tables* directives = nullptr;               ///< null: the processor's own kernels
    std::function<void(int step, double seconds)> progress;  ///< not timed; may be empty
    std::function<void(int step, const std::byte* planes)> planes;  ///< after each touch of planes
    std::function<void(std::byte* const (&flow)[4])> result;        ///< u v w theta at the end
    std::function<void(std::byte* const (&wet)[2])> wet_result;     ///< q - q0, l at the end
    std::function<void(const person_light&)> people;  ///< with radiation, after the last touch

    static constexpr std::tuple members{
        member{"style", &parameters::style},
        member{"processor", &parameters::processor},
        member{"precision", &parameters::precision, precisions},
        member{"grid", &parameters::whole},
        member{"spacing", &parameters::spacing},
        member{"city", &parameters::heights},
        member{"dt", &parameters::dt},
        member{"steps", &parameters::steps},
        member{"cycles", &parameters::cycles},
        member{"cpu-touch", &parameters::touched, touched_words},
        member{"every", &parameters::every},
        member{"gather", &parameters::gathers},
        member{"wind", &parameters::wind},
        member{"advection", &parameters::advection, advections},
        member{"mist", &parameters::mist},
        member{"trees", &parameters::trees},
        member{"settled", &parameters::settled},
        member{"radiation", &parameters::radiation, radiation_words},
        member{"sun", &parameters::sun},
        member{"surfaces", &parameters::surfaces},
        member{"view_folder", &parameters::view_folder},
        member{"threads", &parameters::threads},
        member{"oversubscribe", &parameters::oversubscribe},
        member{"split", &parameters::split},
        member{"halo", &parameters::path, comm::path_named},
        member{"compiler", &parameters::by, cases::compilers},
    };

    bool has_trees() const { return !trees.empty(); }
    /// Whether leaves give vapour: light on leaves is known by radiation between facets alone.
    bool transpires() const { return has_trees() && radiation != radiation_on::none; }
    bool is_moist() const { return !mist.empty() || transpires(); }
    /// Whether some flux reads two cells upwind.
    bool reads_far() const { return is_moist() || advection == advection::third; }
    /// Returns the grid of the whole city.
    les::grid whole_grid() const {
        les::grid g{whole};
        if (reads_far()) g.below = g.above = wide_halo;
        return g;
    }
    std::size_t real_bytes() const {
        return precision == precision::single_precision ? sizeof(float) : sizeof(double);
    }
};

/// Runs one trial in one style. A sample is a step. Throws unsupported, beyond_memory, usage_error.
/// A flow that the scheme cannot follow ends the trial early, with wrong_elements = 1 and a note.
measure::trial run(const parameters& p);

}  // namespace watari::les
