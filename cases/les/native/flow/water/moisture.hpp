/// Water in the air: vapour, as its excess q - q0, and droplets l, which nozzles release as mist.
///
///     dq/dt = -div(u q) + div(K grad q) + e,   dl/dt = -div(u l) + div(K grad l) - e + released
///     dtheta/dt = ... - Lv/cp e
///
/// K is that of theta. Each Runge-Kutta stage carries q and l over its own time tau, by one step of
/// Euler with the velocity at its begin, which is free of divergence. The flux is second order in
/// space, with the slope limited by minmod:
///
///     F = u q_up + |u|/2 (1 - |u| tau/d) minmod(q_down - q_up, q_up - q_upup) - K dq/d
///
/// So no value leaves the range of its neighbours, and no l falls below 0, as long as
/// C + C/2 (1 - C/3) <= 1 for the Courant number C of a stage: at most 0.724. The longest stage has
/// 5/12 of a step, so that a step may have 1.73, the limit of the momentum (bounds.hpp). The slope
/// is 0 beside a wall. Droplets evaporate once a step, in the last stage (evaporation.hpp).
/// Droplets do not fall. Water below 1e-24 kg/kg becomes 0 (carry.hpp).
///
/// Flops a cell and stage: 30 for each face that is computed, and 18. A CPU computes three faces
/// (carry_cpu.hpp), a GPU four and a half, or six within two cells of a wall (carry_gpu.hpp).
/// Evaporation has 55 where droplets have room (evaporation.hpp), and 250 elsewhere.
///
/// Bytes per cell in fp32: a stage reads u v w q l nu flag and writes q l, 33; the last also reads
/// and writes theta, 41. With 24 for the lift of w (flow.hpp) mist adds 131 bytes to a step: 32
/// numbers and 3 flags.
#pragma once

#include "../flow.hpp"
#include "evaporation.hpp"

namespace watari::les {

/// Sums over the cells of a part; least and most: of all cells.
struct moisture {
    double vapour, droplets;  ///< q - q0 and l, kg/kg
    double least_l;
};

template <class Real>
struct moisture_kernels {
    /// Sets `far` to flag::inner in cells whose neighbours within two along each axis are inner
    /// too.
    void (*mark)(const flow_arguments<Real>& f, std::uint8_t* far, stream_t stream);
    /// wet_next = wet after `tau` seconds.
    void (*carry)(const flow_arguments<Real>& f, Real tau, stream_t stream);
    /// The same, then lets droplets evaporate, which cools next.theta.
    void (*carry_and_dry)(const flow_arguments<Real>& f, Real tau, const drying<Real>& by,
                          stream_t stream);
    /// Adds the amounts of nozzles to the l of wet_next.
    void (*spray)(const flow_arguments<Real>& f, const std::uint32_t* cell, const Real* amount,
                  std::size_t count, stream_t stream);
    /// Copies two cells and rows at either end of the periodic axes to the halo beyond the other.
    void (*go_around)(const grid& g, Real* array, stream_t stream);
    /// Surveys wet; waits.
    moisture (*look)(const flow_arguments<Real>& f, stream_t stream);
    static const moisture_kernels cpu, gpu;
};

}  // namespace watari::les
