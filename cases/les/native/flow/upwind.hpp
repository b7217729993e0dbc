/// The term that makes the central flux of momentum third order, biased upwind (advection=third).
///
///     central flux: U bar(u);   third order: U (bar(u) - d2u(up) / 6)
///     d2u(up): u_before - 2 u + u_after around the value that lies upwind of the flux
///
/// U is the same mean of two neighbours as in the central flux. A wave of two cells, which central
/// fluxes keep for ever, decays; so the energy is no longer kept, and what is lost is no heat.
/// Where one of the three values is at a closed face, the flux stays central. Theta keeps its
/// central flux, which conserves the sum of theta^2; q and l have their own (moisture.hpp).
///
/// Source: Wicker and Skamarock (2002), the flux of third order. With three stages it is stable up
/// to a Courant number of 1.61.
///
/// Bytes per cell in fp32: reads u v w flag, reads and writes u* v* w* and three q: 61; 37 in the
/// last stage, which has no q: 159 a step, 39 numbers and 3 flags. A kernel of its own: the central
/// tendencies stay as they are.
#pragma once

#include "flow.hpp"

namespace watari::les {

template <class Real>
struct upwind_kernels {
    /// Adds the term to q and to next, after the central tendencies of the same stage.
    void (*bias)(const flow_arguments<Real>& f, stage which, const stage_factors<Real>& by,
                 stream_t stream);
    static const upwind_kernels cpu, gpu;
};

}  // namespace watari::les
