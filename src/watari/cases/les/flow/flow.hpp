/// The arrays of the flow and the kernels on them: viscosity, tendency with update, correction.
///
///     du/dt = -div(u u) + div(nu (grad u + grad u^T)) - grad p + f + g/theta0 theta,   div u = 0
///
/// (incompressible Boussinesq). Second order and central on the staggered grid, in the form of
/// Morinishi et al. (1998): advection conserves kinetic energy as far as div u = 0. Smagorinsky's
/// viscosity with the length of Mason and Thomson (1992). Walls: no |neighbour| is asked in a cell
/// whose flag says `inner`.
///
/// Bytes in fp32: viscosity 21; tendency 69, of which the first stage (53) reads no q and the last
/// (53) writes none; correction 29.
#pragma once

#include "watari/cases/les/grid/grid.hpp"
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
    Real speed;   ///< its own, along x
};

/// What the kernels know of the air and the grid's spacing.
template <class Real>
struct air {
    Real per_d[3];
    Real nu, kappa, per_prandtl;
    Real force[3], buoyancy;  ///< buoyancy: g / theta0
    wall<Real> side[3];       ///< of buildings, by the axis of their normal
    wall<Real> ground, lid;
};

/// Velocities at low faces, and the deviation of temperature.
template <class Real>
struct motion {
    Real* velocity[3]{};
    Real* theta{};

    constexpr Real*& operator[](unsigned n) { return n == 3 ? theta : velocity[n]; }
    constexpr const Real* operator[](unsigned n) const { return n == 3 ? theta : velocity[n]; }
};

/// Where Runge and Kutta's stage begins and ends: q = a q + step F, u* = u + b q.
enum class stage { first, middle, last };

template <class Real>
struct stage_factors {
    Real a, b, step;
};

/// What the kernels of the flow take. They write halos of a grid that goes around.
template <class Real>
struct flow_arguments {
    les::grid grid;
    les::air<Real> air;
    const std::uint8_t* flags;
    motion<Real> now, next;
    Real* q[4]{};
    Real* nu;
    const Real* length2;  ///< l^2 of Smagorinsky's viscosity
    Real* p;
};

/// Facets of one direction: cell and flux of heat (K m/s) of each, over the spacing (1/m).
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
    /// next.theta (and q's, but in the last stage) of cells that facets warm.
    void (*heat)(const flow_arguments<Real>& f, const heated_cells<Real>& cells, stage which,
                 const stage_factors<Real>& by, stream_t stream);
    /// next -= tau grad p.
    void (*correct)(const flow_arguments<Real>& f, Real tau, stream_t stream);
    void (*clear)(void* data, std::size_t bytes, stream_t stream);
    static const flow_kernels cpu, gpu;
};

}  // namespace watari::les
