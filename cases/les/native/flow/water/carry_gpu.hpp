/// A GPU's stage of q and l. Where no wall is within two cells, a lane goes up a column of two
/// cells side by side along x and computes the faces between them, and between two planes, once:
/// nine faces for two cells, 38 loads by the compiled code. Elsewhere a lane computes the six faces
/// of each cell. Part of carry.hpp.
#pragma once

#include "../climb.hpp"
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

/// A stage in two adjacent cells, for body carry_one.
template <class Real>
struct water_column {
    /// Numbers of two adjacent cells.
    struct alignas(2 * sizeof(Real)) pair {
        Real of[2];
    };
    using two = Real[2][2];  ///< [q, l][cell]

    /// `flag`: of carry_one::flags.
    WATARI_INLINE static cell_beside_walls look(unsigned flag) { return {false, flag == 0}; }

    two lower, own, upper;  ///< in the plane below, in this one and in the one above
    two from_below;         ///< fluxes through the low faces
    Real nu[2], theta[2];
    two next;

    WATARI_INLINE static void load(Real (&to)[2], const Real* from, index at) {
        const pair v = *reinterpret_cast<const pair*>(from + at);
        to[0] = v.of[0], to[1] = v.of[1];
    }
    template <class Body>
    WATARI_INLINE static void load(two& to, const Body& body, index at) {
        for (unsigned n = 0; n < 2; ++n) load(to[n], body.f.wet[n], at);
    }
    /// The fluxes through the low faces of the plane of cell `at`. `lowest`: two planes below it.
    template <class Body>
    WATARI_INLINE static void rise(two& flux, const Body& body, index at, const two& lowest,
                                   const two& low, const two& high, const two& highest,
                                   const Real (&nu_low)[2], const Real (&nu_high)[2]) {
        Real w[2];
        load(w, body.f.now.velocity[2], at);
        for (unsigned m = 0; m < 2; ++m) {
            const water_face<Real> face(body, 2, w[m], nu_low[m], nu_high[m]);
            for (unsigned n = 0; n < 2; ++n)
                flux[n][m] = face.flux(lowest[n][m], low[n][m], high[n][m], highest[n][m]);
        }
    }
    template <class Body>
    WATARI_INLINE void begin(const Body& body, index at, index, index along_z) {
        // there is no plane two below the first, and no cell of it needs one
        const index below = at - along_z, lowest_at = below < along_z ? below : below - along_z;
        two lowest;
        Real nu_below[2];
        load(lowest, body, lowest_at);
        load(lower, body, below);
        load(own, body, at);
        load(upper, body, at + along_z);
        load(nu_below, body.f.nu, below);
        load(nu, body.f.nu, at);
        rise(from_below, body, at, lowest, lower, own, upper, nu_below, nu);
    }
    template <class Body>
    WATARI_INLINE void compute(const Body& body, index at, index along_y, index along_z,
                               const bool (&)[2]) {
        const auto& f = body.f;
        const index above = at + along_z, points = static_cast<index>(f.grid.points());
        const index highest_at = above + along_z < points ? above + along_z : above;
        two highest, gain{}, above_fluxes;
        Real nu_above[2];
        load(highest, body, highest_at);
        load(nu_above, f.nu, above);
        along_x(gain, body, at);
        across(gain, body, at, along_y);
        rise(above_fluxes, body, above, lower, own, upper, highest, nu, nu_above);
        if constexpr (Body::dries) load(theta, f.next.theta, at);
        for (unsigned m = 0; m < 2; ++m) {
            for (unsigned n = 0; n < 2; ++n) {
                gain[n][m] += (from_below[n][m] - above_fluxes[n][m]) * body.rate[2];
                next[n][m] = without_traces(own[n][m] + gain[n][m]);
            }
            if constexpr (Body::dries) {
                const Real e = evaporated(body.by, theta[m], next[0][m], next[1][m]);
                next[0][m] += e;
                next[1][m] -= e;
                theta[m] -= body.by.cooling * e;
            }
        }
        for (unsigned n = 0; n < 2; ++n)
            for (unsigned m = 0; m < 2; ++m) {
                lower[n][m] = own[n][m], own[n][m] = upper[n][m], upper[n][m] = highest[n][m];
                from_below[n][m] = above_fluxes[n][m];
            }
        for (unsigned m = 0; m < 2; ++m) nu[m] = nu_above[m];
    }
    template <class Body, class Writer>
    WATARI_INLINE void put(const Body& body, index at, const Writer&) const {
        for (unsigned n = 0; n < 2; ++n) store(body.f.wet_next[n] + at, next[n]);
        if constexpr (Body::dries) store(body.f.next.theta + at, theta);
    }
    template <class Body, class Writer>
    WATARI_INLINE void put_one(const Body& body, index at, unsigned m, const Writer&) const {
        for (unsigned n = 0; n < 2; ++n) body.f.wet_next[n][at] = m ? next[n][1] : next[n][0];
        if constexpr (Body::dries) body.f.next.theta[at] = m ? theta[1] : theta[0];
    }
    template <class Body, class Result, class Writer>
    WATARI_INLINE static void put_result(const Body& body, index at, const Result& now,
                                         const Writer&) {
        body.put(cell{0, 0, 0, at}, now);
    }

private:
    WATARI_INLINE static void store(Real* to, const Real (&v)[2]) {
        *reinterpret_cast<pair*>(to) = {{v[0], v[1]}};
    }
    template <class Body>
    WATARI_INLINE void along_x(two& gain, const Body& body, index at) const {
        const auto& f = body.f;
        Real u[2];
        load(u, f.now.velocity[0], at);
        const water_face<Real> faces[] = {
            {body, 0, u[0], f.nu[at - 1], nu[0]},
            {body, 0, u[1], nu[0], nu[1]},
            {body, 0, f.now.velocity[0][at + 2], nu[1], f.nu[at + 2]}};
        for (unsigned n = 0; n < 2; ++n) {
            Real left[2], right[2];
            load(left, f.wet[n], at - 2);
            load(right, f.wet[n], at + 2);
            const Real a = own[n][0], b = own[n][1];
            const Real flux[] = {faces[0].flux(left[0], left[1], a, b),
                                 faces[1].flux(left[1], a, b, right[0]),
                                 faces[2].flux(a, b, right[0], right[1])};
            for (unsigned m = 0; m < 2; ++m) gain[n][m] += (flux[m] - flux[m + 1]) * body.rate[0];
        }
    }
    template <class Body>
    WATARI_INLINE void across(two& gain, const Body& body, index at, index along_y) const {
        const auto& f = body.f;
        Real low_v[2], high_v[2], low_nu[2], high_nu[2];
        load(low_v, f.now.velocity[1], at);
        load(high_v, f.now.velocity[1], at + along_y);
        load(low_nu, f.nu, at - along_y);
        load(high_nu, f.nu, at + along_y);
        two rows[4];  // two before, one before, one after, two after
        load(rows[0], body, at - 2 * along_y);
        load(rows[1], body, at - along_y);
        load(rows[2], body, at + along_y);
        load(rows[3], body, at + 2 * along_y);
        for (unsigned m = 0; m < 2; ++m) {
            const water_face<Real> low(body, 1, low_v[m], low_nu[m], nu[m]);
            const water_face<Real> high(body, 1, high_v[m], nu[m], high_nu[m]);
            for (unsigned n = 0; n < 2; ++n) {
                const Real to = low.flux(rows[0][n][m], rows[1][n][m], own[n][m], rows[2][n][m]);
                const Real from = high.flux(rows[1][n][m], own[n][m], rows[2][n][m], rows[3][n][m]);
                gain[n][m] += (to - from) * body.rate[1];
            }
        }
    }
};

template <class Body, class Real>
void carry_all(const les::grid& g, const Body& body, stream_t stream) {
    if (!climb_all<water_column<Real>, 2>(g, body, stream))  // of climb_gpu.hpp
        for_each_cell(g, body, written<Real>{}, stream);
}
template <class Real>
void carry(const flow_arguments<Real>& f, Real tau, stream_t stream) {
    carry_all<carry_one<Real, no_drying>, Real>(f.grid, {f, tau, {}}, stream);
}
template <class Real>
void carry_and_dry(const flow_arguments<Real>& f, Real tau, const les::drying<Real>& by,
                   stream_t stream) {
    carry_all<carry_one<Real, les::drying<Real>>, Real>(f.grid, {f, tau, by}, stream);
}

}  // namespace watari::gpu
