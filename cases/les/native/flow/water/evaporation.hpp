/// Evaporation of droplets in a cell, exact in time for any time step.
///
///     qs(T - Lv e / cp) = q + e        e: water that evaporates until the air is saturated
///     q += s min(l, e), l -= s min(l, e), T -= Lv/cp s min(l, e);   s = 1 - exp(-dt / tau)
///
/// Five Newton steps from e = 0 solve it. qs grows faster than linearly with T, so the steps rise
/// to the solution and never pass it: no air becomes more than saturated. The first one is enough
/// if it has room for all droplets, as in most of a city's air. If e < 0, vapour condenses. es: a
/// polynomial of degree 8, within 1.6e-8 of Bolton (1980) from 253 to 323 K; no exponential in a
/// kernel. A splitting of dt changes only the rounding.
#pragma once

#include "../../les.hpp"
#include "watari/core/backend.hpp"
#include "watari/core/unrolled.hpp"

#include <cmath>

namespace watari::les {

inline constexpr double latent_heat = 2.5e6, heat_capacity = 1005;  ///< J/kg, J/(kg K)

/// Constants of evaporation, for the kernels.
template <class Real>
struct drying {
    Real start, per_kelvin;  ///< x = start + per_kelvin theta, the polynomial's argument
    Real cooling;            ///< Lv / cp, K
    Real pressure, humidity;
    Real share;  ///< of the droplets that evaporate in a step
};

template <class Real>
drying<Real> drying_of(const constants& air, double dt) {
    constexpr double middle = 288.15, half_range = 35;  // K
    return {Real((air.theta0 - middle) / half_range),
            Real(1 / half_range),
            Real(latent_heat / heat_capacity),
            Real(air.pressure),
            Real(air.humidity),
            Real(-std::expm1(-dt / air.droplet_time))};
}

}  // namespace watari::les

namespace watari::WATARI_BACKEND {

/// Air above droplets: q beyond the humidity of `by`, kg/kg.
template <class Real>
struct damp_air {
    const les::drying<Real>& by;
    Real theta, q;

    /// Returns e after Newton's step from e, for the root of qs(T - Lv e / cp) - q - e, multiplied
    /// by room^2: one division.
    WATARI_INLINE Real step(Real e) const {
        constexpr double es[] = {1704.049433, 3840.295654, 3807.339475,   2149.310042,  739.5195372,
                                 149.4672918, 13.38135725, -0.7404674714, -0.2172931557};
        constexpr Real ratio = Real(0.622), lighter = Real(0.378);
        const Real cooling = by.per_kelvin * by.cooling;
        const Real x = (by.start + by.per_kelvin * theta) - cooling * e;
        Real saturated = Real(es[8]), slope = 0;
        WATARI_UNROLLED
        for (int k = 7; k >= 0; --k) {
            slope = slope * x + saturated;
            saturated = saturated * x + Real(es[k]);
        }
        const Real room = by.pressure - lighter * saturated;
        const Real missing = ratio * saturated - ((by.humidity + q) + e) * room;
        return e + missing * room / (ratio * by.pressure * (slope * cooling) + room * room);
    }
    /// Whether one step says enough: e only grows, so all of l can evaporate.
    WATARI_INLINE static bool has_room(Real l, Real first) { return l <= Real(0.5) * first; }
    /// Returns e after all steps but the first.
    WATARI_INLINE Real last(Real first) const {
        Real e = first;
        WATARI_UNROLLED
        for (unsigned n = 1; n < 5; ++n) e = step(e);
        return e;
    }
    /// Returns what evaporates of l in a time step, kg/kg. e: after one step if that is enough.
    WATARI_INLINE Real taken(Real l, Real e) const { return by.share * (l < e ? l : e); }
};

template <class Real>
WATARI_INLINE Real evaporated(const les::drying<Real>& by, Real theta, Real q, Real l) {
    const damp_air<Real> air{by, theta, q};
    Real e = air.step(0);
    if (!air.has_room(l, e)) e = air.last(e);
    return air.taken(l, e);
}

}  // namespace watari::WATARI_BACKEND
