/// A stage of the flow on a GPU, where no wall is near: a lane goes up a column of two adjacent
/// cells. Values between two planes, or between the two cells, are computed once.
///
/// Loads per plane: 15 pairs and 15 numbers beside them. A cell by itself takes 50 loads and 300
/// operations; here a cell takes 220 operations. A lane keeps the rows of a plane that the next
/// plane needs, and the fluxes between both planes.
#pragma once

#include "momentum.hpp"

namespace watari::WATARI_BACKEND {

/// How a loop by columns computes a cell: to 0, or by its body with walls.
struct cell_beside_walls {
    bool solid, beside_wall;

    /// Of a cell's flag.
    WATARI_INLINE static cell_beside_walls of(unsigned flag) {
        const unsigned own = flag & les::flag::all;
        const bool solid = !(own & les::flag::fluid);
        return {solid, !solid && own != les::flag::all};
    }
};

/// The numbers of a row from the cell before a pair to the cell after it.
template <class Real>
struct beside_pair {
    Real of[4];

    WATARI_INLINE Real operator[](int x) const { return of[x + 1]; }
    WATARI_INLINE void pair(const Real* data, index at) {
        struct alignas(2 * sizeof(Real)) both {
            Real a, b;
        };
        const both v = *reinterpret_cast<const both*>(data + at);
        of[1] = v.a, of[2] = v.b;
    }
    WATARI_INLINE void left(const Real* data, index at) { of[0] = data[at - 1]; }
    WATARI_INLINE void right(const Real* data, index at) { of[3] = data[at + 2]; }
    WATARI_INLINE void all(const Real* data, index at) {
        pair(data, at);
        left(data, at);
        right(data, at);
    }
};

template <class Real>
struct climb {
    using row = beside_pair<Real>;

    row u, v, next_v, w, theta, nu[3];  ///< of a plane: next_v of the next row, nu of three rows
    Real u_below[2], v_below[2], w_below[2], heat_below[2], theta_below[2];  ///< fluxes from below
    Real w_along_x[2], w_along_y[2];  ///< parts of w's tendency, from the low edges of this plane

    /// Loads the plane of cell `at` as the first plane; the fluxes stay unset.
    WATARI_INLINE void begin(const les::flow_arguments<Real>& f, index at, index along_y) {
        u.all(f.now.velocity[0], at);
        v.all(f.now.velocity[1], at);
        next_v.pair(f.now.velocity[1], at + along_y);
        next_v.left(f.now.velocity[1], at + along_y);
        w.pair(f.now.velocity[2], at);
        theta.all(f.now.theta, at);
        load_nu(nu, f.nu, at, along_y);
    }
    WATARI_INLINE static void load_nu(row (&nu)[3], const Real* from, index at, index along_y) {
        nu[0].all(from, at - along_y);
        nu[1].all(from, at);
        nu[2].pair(from, at + along_y);
        nu[2].left(from, at + along_y);
    }

    /// The plane above, whose first cell is at `up`, and the fluxes into it.
    struct above {
        row u, v, next_v, w, theta, nu[3];
        Real u_high[2], v_high[2], w_high[2], heat_high[2], w_along_x[2], w_along_y[2];
    };
    WATARI_INLINE void look_up(above& to, const les::flow_arguments<Real>& f, index up,
                               index along_y) const {
        const Real* const* const now = f.now.velocity;
        const auto& d = f.air.per_d;
        const Real by_4[2] = {Real(0.25) * d[0], Real(0.25) * d[1]};
        row w_before, w_after;
        to.u.all(now[0], up);
        to.v.all(now[1], up);
        to.next_v.pair(now[1], up + along_y);
        to.next_v.left(now[1], up + along_y);
        w_before.pair(now[2], up - along_y);
        to.w.all(now[2], up);
        w_after.pair(now[2], up + along_y);
        to.theta.all(f.now.theta, up);
        load_nu(to.nu, f.nu, up, along_y);
        Real along_x[3], along_y_[2][2];
        for (int x = 0; x < 3; ++x) {
            const edge_of<Real> e{to.u[x], u[x], to.w[x], to.w[x - 1], d[0], d[2]};
            if (x < 2) to.u_high[x] = e.flux(to.nu[1][x], to.nu[1][x - 1], nu[1][x], nu[1][x - 1]);
            along_x[x] = e.flux(to.nu[1][x], nu[1][x], to.nu[1][x - 1], nu[1][x - 1]);
        }
        for (int y = 0; y < 2; ++y)
            for (int x = 0; x < 2; ++x) {
                const edge_of<Real> e{y ? to.next_v[x] : to.v[x],
                                      y ? next_v[x] : v[x],
                                      y ? w_after[x] : to.w[x],
                                      y ? to.w[x] : w_before[x],
                                      d[1],
                                      d[2]};
                if (y == 0) to.v_high[x] = e.flux(to.nu[1][x], to.nu[0][x], nu[1][x], nu[0][x]);
                along_y_[y][x] = e.flux(to.nu[y + 1][x], nu[y + 1][x], to.nu[y][x], nu[y][x]);
            }
        for (int x = 0; x < 2; ++x) {
            to.w_along_x[x] = (along_x[x + 1] - along_x[x]) * by_4[0];
            to.w_along_y[x] = (along_y_[1][x] - along_y_[0][x]) * by_4[1];
            to.w_high[x] = normal_flux_of(w[x], to.w[x], nu[1][x], d[2]);
            to.heat_high[x] =
                heat_flux_of(f.air, to.w[x], theta[x], to.theta[x], nu[1][x], to.nu[1][x], d[2]);
        }
    }
    WATARI_INLINE void go_up(const above& to) {
        for (int x = 0; x < 2; ++x) {
            theta_below[x] = theta[x];
            u_below[x] = to.u_high[x];
            v_below[x] = to.v_high[x];
            w_below[x] = to.w_high[x];
            heat_below[x] = to.heat_high[x];
            w_along_x[x] = to.w_along_x[x];
            w_along_y[x] = to.w_along_y[x];
        }
        u = to.u, v = to.v, next_v = to.next_v, w = to.w, theta = to.theta;
        for (int y = 0; y < 3; ++y) nu[y] = to.nu[y];
    }

    /// Computes the tendencies of u v w theta in both cells; the first cell is at `at`.
    WATARI_INLINE void tendencies(Real (&to)[4][2], const above& up,
                                  const les::flow_arguments<Real>& f, index at,
                                  index along_y) const {
        const Real* const* const now = f.now.velocity;
        const auto& d = f.air.per_d;
        const Real by_2[3] = {Real(0.5) * d[0], Real(0.5) * d[1], Real(0.5) * d[2]},
                   by_4[3] = {Real(0.25) * d[0], Real(0.25) * d[1], Real(0.25) * d[2]};
        row u_before, u_after, v_before, theta_before, theta_after;
        u_before.pair(now[0], at - along_y);
        u_before.right(now[0], at - along_y);
        u_after.pair(now[0], at + along_y);
        v_before.pair(now[1], at - along_y);
        theta_before.pair(f.now.theta, at - along_y);
        theta_after.pair(f.now.theta, at + along_y);
        Real u_low[2], u_high[2], v_edge[3], u_in[3], heat_x[3];
        for (int x = 0; x < 3; ++x) {
            const edge_of<Real> e{u[x], u_before[x], v[x], v[x - 1], d[0], d[1]};
            if (x < 2) u_low[x] = e.flux(nu[1][x], nu[1][x - 1], nu[0][x], nu[0][x - 1]);
            v_edge[x] = e.flux(nu[1][x], nu[0][x], nu[1][x - 1], nu[0][x - 1]);
            u_in[x] = normal_flux_of(u[x - 1], u[x], nu[1][x - 1], d[0]);
            heat_x[x] =
                heat_flux_of(f.air, u[x], theta[x - 1], theta[x], nu[1][x - 1], nu[1][x], d[0]);
        }
        for (int x = 0; x < 2; ++x) {
            const edge_of<Real> e{u_after[x], u[x], next_v[x], next_v[x - 1], d[0], d[1]};
            u_high[x] = e.flux(nu[2][x], nu[2][x - 1], nu[1][x], nu[1][x - 1]);
        }
        for (int x = 0; x < 2; ++x) {
            to[0][x] = f.air.force[0] -
                       ((u_in[x + 1] - u_in[x]) * by_4[0] +
                        ((u_high[x] - u_low[x]) * by_4[1] + (up.u_high[x] - u_below[x]) * by_4[2]));
            const Real v_in = (normal_flux_of(v[x], next_v[x], nu[1][x], d[1]) -
                               normal_flux_of(v_before[x], v[x], nu[0][x], d[1])) *
                              by_4[1];
            to[1][x] = f.air.force[1] - (v_in + ((v_edge[x + 1] - v_edge[x]) * by_4[0] +
                                                 (up.v_high[x] - v_below[x]) * by_4[2]));
            const Real lift = f.air.buoyancy * (Real(0.5) * (theta[x] + theta_below[x]));
            to[2][x] =
                lift - ((up.w_high[x] - w_below[x]) * by_4[2] + (w_along_x[x] + w_along_y[x]));
            const Real low =
                heat_flux_of(f.air, v[x], theta_before[x], theta[x], nu[0][x], nu[1][x], d[1]);
            const Real high =
                heat_flux_of(f.air, next_v[x], theta[x], theta_after[x], nu[1][x], nu[2][x], d[1]);
            Real out = 0;
            out += (heat_x[x + 1] - heat_x[x]) * by_2[0];
            out += (high - low) * by_2[1];
            out += (up.heat_high[x] - heat_below[x]) * by_2[2];
            to[3][x] = -out;
        }
    }
};

/// The same loop for |S|^2 of viscosity_of: squares of strains at the edges of two cells.
template <class Real>
struct strain_climb {
    using row = beside_pair<Real>;
    using flow = les::flow_arguments<Real>;

    row u, v, next_v;                  ///< of a plane: next_v of the next row
    Real w[2], in_xz[3], in_yz[2][2];  ///< w, and squares at the plane's low edges

    /// Square of d_b u_a + d_a u_b.
    WATARI_INLINE static Real square(Real a, Real a_below, Real b, Real b_left, Real per_a,
                                     Real per_b) {
        const Real s = (a - a_below) * per_b + (b - b_left) * per_a;
        return s * s;
    }
    WATARI_INLINE static Real mean(Real a, Real b, Real c, Real d) {
        return Real(0.25) * ((a + b) + (c + d));
    }

    /// The rows of a plane, and the squares at its low edges.
    struct above {
        row u, v, next_v, w;
        Real in_xz[3], in_yz[2][2];
    };
    WATARI_INLINE static void load(above& to, const flow& f, index at, index along_y) {
        to.u.pair(f.now.velocity[0], at);
        to.u.right(f.now.velocity[0], at);
        to.v.all(f.now.velocity[1], at);
        to.next_v.all(f.now.velocity[1], at + along_y);
        to.w.all(f.now.velocity[2], at);
    }
    WATARI_INLINE void look_up(above& to, const flow& f, index at, index along_y) const {
        const auto& d = f.air.per_d;
        load(to, f, at, along_y);
        row before, after;
        before.pair(f.now.velocity[2], at - along_y);
        after.pair(f.now.velocity[2], at + along_y);
        for (int x = 0; x < 3; ++x)
            to.in_xz[x] = square(to.u[x], u[x], to.w[x], to.w[x - 1], d[0], d[2]);
        for (int x = 0; x < 2; ++x) {
            to.in_yz[0][x] = square(to.v[x], v[x], to.w[x], before[x], d[1], d[2]);
            to.in_yz[1][x] = square(to.next_v[x], next_v[x], after[x], to.w[x], d[1], d[2]);
        }
    }
    WATARI_INLINE void take(const above& from) {
        u = from.u, v = from.v, next_v = from.next_v;
        for (int x = 0; x < 2; ++x) {
            w[x] = from.w[x];
            for (int y = 0; y < 2; ++y) in_yz[y][x] = from.in_yz[y][x];
        }
        for (int x = 0; x < 3; ++x) in_xz[x] = from.in_xz[x];
    }
    /// Loads the plane of cell `at`, and computes the squares at its low edges.
    WATARI_INLINE void begin(const flow& f, index at, index along_y, index along_z) {
        above own;
        load(own, f, at - along_z, along_y);
        u = own.u, v = own.v, next_v = own.next_v;
        look_up(own, f, at, along_y);
        take(own);
    }
    /// Computes |S|^2 of both cells at `at`, then moves to the plane above.
    WATARI_INLINE void go_up(Real (&to)[2], const flow& f, index at, index along_y, index along_z) {
        const auto& d = f.air.per_d;
        row u_before, u_after;
        u_before.pair(f.now.velocity[0], at - along_y);
        u_before.right(f.now.velocity[0], at - along_y);
        u_after.pair(f.now.velocity[0], at + along_y);
        u_after.right(f.now.velocity[0], at + along_y);
        above up;
        look_up(up, f, at + along_z, along_y);
        Real low[3], high[3];
        for (int x = 0; x < 3; ++x) {
            low[x] = square(u[x], u_before[x], v[x], v[x - 1], d[0], d[1]);
            high[x] = square(u_after[x], u[x], next_v[x], next_v[x - 1], d[0], d[1]);
        }
        for (int x = 0; x < 2; ++x) {
            const Real along[3] = {(u[x + 1] - u[x]) * d[0], (next_v[x] - v[x]) * d[1],
                                   (up.w[x] - w[x]) * d[2]};
            Real squares = 0;
            for (const Real each : along) squares += each * each;
            squares = squares + squares;
            squares += mean(low[x], low[x + 1], high[x], high[x + 1]);
            squares += mean(in_xz[x], in_xz[x + 1], up.in_xz[x], up.in_xz[x + 1]);
            squares += mean(in_yz[0][x], in_yz[1][x], up.in_yz[0][x], up.in_yz[1][x]);
            to[x] = squares;
        }
        take(up);
    }
};

}  // namespace watari::WATARI_BACKEND

#include WATARI_PART(climb)
