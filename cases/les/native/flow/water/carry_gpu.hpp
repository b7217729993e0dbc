/// A GPU's stage of q and l: a thread has a cell and computes its six faces. Part of carry.hpp.
#pragma once

#include "carry.hpp"

#include <type_traits>

namespace watari::gpu {

/// What evaporates in the stages but the last.
struct no_drying {};

template <class Real, class Drying>
struct carry_one : water_stage<Real> {
    static constexpr bool dries = !std::is_same_v<Drying, no_drying>;
    Drying by;
    const std::uint8_t* flags;  ///< `far`
    using two_paths = void;
    using many_registers = void;

    carry_one(const flow_arguments<Real>& of, Real tau, const Drying& drying)
        : water_stage<Real>(of, tau), by(drying), flags(of.far) {}

    struct result {
        Real wet[2], theta;
    };
    WATARI_INLINE index plane() const { return this->step[2]; }

    /// Fluxes through the low face of cell `at`. `lower` and `higher`: the cells two below the
    /// face, and two above.
    template <bool Walls>
    WATARI_INLINE void face(Real (&flux)[2], unsigned a, index at, index lower,
                            index higher) const {
        const flow_arguments<Real>& f = this->f;
        const index left = at - this->step[a];
        unsigned below = 0, above = 0;
        if constexpr (Walls) below = f.flags[left], above = f.flags[at];
        const water_face<Real> here(*this, a, at, std::bool_constant<Walls>{}, below, above);
        for (unsigned n = 0; n < 2; ++n) {
            const Real* const q = f.wet[n];
            flux[n] = here.flux(q[lower], q[left], q[at], q[higher]);
        }
    }
    /// Adds what comes in along an axis.
    template <bool Walls>
    WATARI_INLINE void add(Real (&gain)[2], const cell& c, unsigned a) const {
        const index s = this->step[a];
        // no plane is two below the ground or two above the lid, and none is needed there
        const bool on_ground = Walls && a == 2 && c.k == 0;
        const bool at_lid = Walls && a == 2 && c.k + 1 == static_cast<index>(this->f.grid.size.z);
        const index down = on_ground ? s : 2 * s, up = at_lid ? s : 2 * s;
        Real low[2], high[2];
        face<Walls>(low, a, c.at, c.at - down, c.at + s);
        face<Walls>(high, a, c.at + s, c.at - s, c.at + up);
        for (unsigned n = 0; n < 2; ++n) gain[n] += (low[n] - high[n]) * this->rate[a];
    }
    template <bool Walls>
    WATARI_INLINE result value(const cell& c) const {
        const flow_arguments<Real>& f = this->f;
        Real gain[2]{};
        for (unsigned a = 0; a < 3; ++a) add<Walls>(gain, c, a);
        const bool fluid = !Walls || (f.flags[c.at] & les::flag::fluid) != 0;
        result now{};
        for (unsigned n = 0; n < 2; ++n)
            now.wet[n] = fluid ? without_traces(f.wet[n][c.at] + gain[n]) : Real(0);
        if constexpr (dries) {
            const Real theta = f.next.theta[c.at];
            const Real e = fluid ? evaporated(by, theta, now.wet[0], now.wet[1]) : Real(0);
            now.wet[0] += e;
            now.wet[1] -= e;
            now.theta = theta - by.cooling * e;
        }
        return now;
    }
    WATARI_INLINE void put(const cell& c, const result& now) const {
        for (unsigned n = 0; n < 2; ++n) this->f.wet_next[n][c.at] = now.wet[n];
        if constexpr (dries) this->f.next.theta[c.at] = now.theta;
    }
};

template <class Real>
void carry(const flow_arguments<Real>& f, Real tau, stream_t stream) {
    for_each_cell(f.grid, carry_one<Real, no_drying>(f, tau, {}), written<Real>{}, stream);
}
template <class Real>
void carry_and_dry(const flow_arguments<Real>& f, Real tau, const les::drying<Real>& by,
                   stream_t stream) {
    for_each_cell(f.grid, carry_one<Real, les::drying<Real>>(f, tau, by), written<Real>{}, stream);
}

}  // namespace watari::gpu
