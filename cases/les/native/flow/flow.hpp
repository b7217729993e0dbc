/// The arrays of the flow and the kernels on them: viscosity, tendency with update, correction.
///
///     du/dt = -div(u u) + div(nu (grad u + grad u^T)) - grad p + f + g/theta0 theta,   div u = 0
///
/// (incompressible Boussinesq). Second order and central on the staggered grid, in the form of
/// Morinishi et al. (1998): advection conserves kinetic energy as far as div u = 0. Smagorinsky's
/// viscosity with the length of Mason and Thomson (1992). Walls: a cell whose flag says `inner`
/// needs no test of its neighbours.
///
/// Bytes per cell in fp32: viscosity 21; tendency 69, but 53 in the first stage, which reads no q,
/// and in the last, which writes none; correction 29. In moist air w also has the acceleration
/// g (0.61 (q - q0) - l), the lift of vapour and the weight of droplets: 8 bytes more a tendency.
#pragma once

#include "../grid/grid.hpp"
#include "watari/core/device.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::les {

/// Stress and strain beside a flat wall, from the velocity half a cell away.
template <class Real>
struct wall {
    Real rough;   ///< stress = velocity (rough |U| + smooth)
    Real smooth;  ///< nu / (d/2), or 0
    Real strain;  ///< strain at the wall over velocity / d
    Real speed;   ///< speed of the wall itself, along x
};

/// Constants of the air and of the grid's spacing, for the kernels.
template <class Real>
struct air {
    Real per_d[3];
    Real nu, kappa, per_prandtl;
    Real force[3], buoyancy;        ///< buoyancy: g / theta0
    Real vapour_lift, drop_weight;  ///< half of 0.61 g, half of g
    wall<Real> side[3];             ///< of buildings, by the axis of their normal
    wall<Real> ground, lid;
};

/// Virtual lightness of vapour: moist air has the density of dry air that is warmer by 0.61 q T.
inline constexpr double lightness_of_vapour = 0.61;

/// Velocities at low faces, and the deviation of temperature.
template <class Real>
struct motion {
    Real* velocity[3]{};
    Real* theta{};

    constexpr Real*& operator[](unsigned n) { return n == 3 ? theta : velocity[n]; }
    constexpr const Real* operator[](unsigned n) const { return n == 3 ? theta : velocity[n]; }
};

/// A stage of Runge and Kutta, q = a q + step F, u* = u + b q: the first reads no q, the last
/// writes none.
enum class stage { first, middle, last };

template <class Real>
struct stage_factors {
    Real a, b, step;
};

/// The arguments of the flow's kernels. The kernels write the halos of a periodic grid.
template <class Real>
struct flow_arguments {
    les::grid grid;
    les::air<Real> air;
    const std::uint8_t* flags;
    const std::uint8_t* far;  ///< for fluxes that read two cells upwind (moisture.hpp), or null
    motion<Real> now, next;
    Real *wet[2]{}, *wet_next[2]{};  ///< q - q0 and l; null: the air is dry
    Real* q[4]{};
    Real* nu;
    const Real* length2;  ///< l^2 of Smagorinsky's viscosity
    Real* p;
};

/// Facets of one direction: the cell and the flux of heat (K m/s) of each, and 1 / spacing (1/m).
template <class Real>
struct heated_cells {
    const std::uint32_t* cell;
    const Real* flux;
    std::size_t count;
    Real per_d;
};

/// Kernels of one backend. On a GPU they return before they are done.
template <class Real>
struct flow_kernels {
    /// nu = molecular + l^2 |S| in fluid.
    void (*viscosity)(const flow_arguments<Real>& f, stream_t stream);
    /// next = now + b q after q = a q + step F(now).
    void (*advance)(const flow_arguments<Real>& f, stage which, const stage_factors<Real>& by,
                    stream_t stream);
    /// Adds the flux of facets to next.theta of their cells, and to q's but in the last stage.
    void (*heat)(const flow_arguments<Real>& f, const heated_cells<Real>& cells, stage which,
                 const stage_factors<Real>& by, stream_t stream);
    /// next -= tau grad p.
    void (*correct)(const flow_arguments<Real>& f, Real tau, stream_t stream);
    void (*clear)(void* data, std::size_t bytes, stream_t stream);
    static const flow_kernels cpu, gpu;
};

}  // namespace watari::les
