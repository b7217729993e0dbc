/// One stage of q and l: their fluxes through a face of a cell, and what evaporates in it.
///
/// A value below `least_water` becomes 0. The edge of a plume falls by orders of magnitude from
/// cell to cell, down to numbers that a processor computes a hundred times slower (denormals):
/// these took half of a CPU's time.
#pragma once

#include "../../grid/loops.hpp"
#include "moisture.hpp"

#include <cmath>

namespace watari::WATARI_BACKEND {

using les::flow_arguments;

/// kg/kg: some hundred molecules in a cell of 2 m. So differences of two values are no denormals.
inline constexpr double least_water = 1e-24;

/// One instruction each: GCC has one for a choice, nvcc for fmin, since they differ for NaN.
template <class Real>
WATARI_INLINE Real smaller(Real a, Real b) {
    if constexpr (executes == processor::type::gpu) return std::fmin(a, b);
    return a < b ? a : b;
}
template <class Real>
WATARI_INLINE Real larger(Real a, Real b) {
    if constexpr (executes == processor::type::gpu) return std::fmax(a, b);
    return a > b ? a : b;
}
/// The smaller of two numbers of one sign, or 0. No product, which could underflow.
template <class Real>
WATARI_INLINE Real minmod(Real a, Real b) {
    return larger(smaller(a, b), smaller(larger(a, b), Real(0)));
}
template <class Real>
WATARI_INLINE Real without_traces(Real water) {
    return std::fabs(water) < Real(least_water) ? Real(0) : water;
}

/// What a stage reads of the flow.
template <class Real>
struct water_stage {
    flow_arguments<Real> f;
    Real rate[3];          ///< tau / d
    Real still[3], nu[3];  ///< K / d = still + nu (sum of nu on both sides)
    index step[3];         ///< elements to the next cell along an axis

    water_stage(const flow_arguments<Real>& of, Real tau)
        : f(of), step{1, static_cast<index>(of.grid.row()), static_cast<index>(of.grid.plane())} {
        for (unsigned a = 0; a < 3; ++a) {
            const Real d = of.air.per_d[a];
            rate[a] = tau * d;
            still[a] = (of.air.kappa - of.air.nu * of.air.per_prandtl) * d;
            nu[a] = Real(0.5) * of.air.per_prandtl * d;
        }
    }
};

/// The low face of cell `at` along an axis: what the fluxes of q and l share. u = 0 in a closed
/// face.
template <class Real>
struct water_face {
    Real u, half, mixing;

    /// Without walls. nu_low, nu_high: of the cells on both sides.
    WATARI_INLINE water_face(const water_stage<Real>& s, unsigned a, Real velocity, Real nu_low,
                             Real nu_high)
        : u(velocity) {
        const Real fast = std::fabs(u);
        half = fast * (Real(0.5) - fast * (Real(0.5) * s.rate[a]));
        mixing = s.still[a] + (nu_low + nu_high) * s.nu[a];
    }
    /// below, above: the flags of the cells on both sides.
    template <class Walls, class Flags>
    WATARI_INLINE water_face(const water_stage<Real>& s, unsigned a, index at, Walls, Flags below,
                             Flags above)
        : water_face(s, a, s.f.now.velocity[a][at], s.f.nu[at - s.step[a]], s.f.nu[at]) {
        if constexpr (Walls::value) {
            // numbers before the choices between them: no branch in a loop over vectors
            const Real from_below = (below & les::flag::low(a)) != 0 ? half : Real(0);
            const Real from_above = (above & les::flag::high(a)) != 0 ? half : Real(0);
            half = u > 0 ? from_below : from_above;
            mixing = (above & les::flag::low(a)) != 0 ? mixing : Real(0);
        }
    }
    /// Of four cells in order.
    WATARI_INLINE Real flux(Real lower, Real low, Real high, Real higher) const {
        const bool forward = u > 0;
        const Real more = high - low, before = low - lower, after = higher - high;
        const Real slope = minmod(more, forward ? before : after);
        return (u * (forward ? low : high) + half * slope) - mixing * more;
    }
};

}  // namespace watari::WATARI_BACKEND

#include WATARI_PART(carry)
