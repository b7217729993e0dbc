/// Fluxes around one cell, which the kernels of the flow add up.
///
/// An edge lies between two values of u that are neighbours along another axis; four cells are
/// around it. If none or one of them is solid, the plain formula holds, and a closed face counts as
/// 0. If two adjacent cells are solid, the wall is flat and the flux is its stress. (If three or
/// two diagonal cells are solid, both faces are closed and the flux is not used.)
#pragma once

#include "../grid/loops.hpp"
#include "flow.hpp"

#include WATARI_PART(square_root)
#include WATARI_PART(walls)

namespace watari::WATARI_BACKEND {

/// The walls below and above a plane of cells, for cells with no air there. Chosen once per row,
/// since a choice inside the loop would prevent its vectorisation.
template <class Real>
struct walls_of_plane : flags_around<Real> {
    les::wall<Real> below, above;

    WATARI_INLINE void enter_plane(const les::flow_arguments<Real>& f, std::size_t k) {
        below = k == 0 ? f.air.ground : f.air.side[2];
        above = k + 1 == f.grid.size.z ? f.air.lid : f.air.side[2];
    }
};

/// Fluxes are scaled by 2 or 4, the inverse of the factor that means of two or four numbers have:
/// fewer multiplications and the same bits, since the scale changes only the exponent. Their
/// differences are then multiplied by 1 / (2 d) or 1 / (4 d).
///
/// 4 (u u - 2 nu d u) in a centre between two faces.
template <class Real>
WATARI_INLINE Real normal_flux_of(Real low, Real high, Real nu, Real per_d) {
    const Real sum = low + high;
    return sum * sum - nu * ((high - low) * (Real(8) * per_d));
}

/// An edge between two values of u_a, neighbours along b, and two of u_b, neighbours along a.
template <class Real>
struct edge_of {
    Real a, a_below, b, b_left, per_a, per_b;

    /// d_b u_a + d_a u_b.
    WATARI_INLINE Real strain() const { return (a - a_below) * per_b + (b - b_left) * per_a; }
    /// 4 (u_b u_a - nu_e (d_b u_a + d_a u_b)). With a and b exchanged, only the order in which nu
    /// is added differs. share: 4 over the number of cells that have a nu.
    WATARI_INLINE Real flux(Real nu, Real nu_left, Real nu_below, Real nu_far,
                            Real share = Real(1)) const {
        const Real sum = (nu + nu_left) + (nu_below + nu_far);
        return (b + b_left) * (a + a_below) - sum * share * strain();
    }
};

/// Twice the flux of theta through a face of velocity u.
template <class Real>
WATARI_INLINE Real heat_flux_of(const les::air<Real>& air, Real u, Real low, Real high, Real nu_low,
                                Real nu_high, Real per_d) {
    const Real twice_more = (nu_low + nu_high) - Real(2) * air.nu;
    return u * (low + high) - (air.kappa + twice_more * (Real(0.5) * air.per_prandtl)) *
                                  ((high - low) * (Real(2) * per_d));
}

/// The acceleration of w at the low face of cell `at` by vapour and droplets, beside that of theta.
template <class Real>
WATARI_INLINE Real moist_lift(const les::flow_arguments<Real>& f, index at) {
    const index below = at - static_cast<index>(f.grid.plane());
    return f.air.vapour_lift * (f.wet[0][at] + f.wet[0][below]) -
           f.air.drop_weight * (f.wet[1][at] + f.wet[1][below]);
}

template <class Real>
struct around {
    const les::flow_arguments<Real>& f;
    const walls_of_plane<Real>& level;
    const cell& c;
    index along_y, along_z;

    WATARI_INLINE around(const les::flow_arguments<Real>& arguments,
                         const walls_of_plane<Real>& walls, const cell& of)
        : f(arguments),
          level(walls),
          c(of),
          along_y(static_cast<index>(arguments.grid.row())),
          along_z(static_cast<index>(arguments.grid.plane())) {}

    WATARI_INLINE index step(unsigned axis) const {
        return axis == 0 ? 1 : axis == 1 ? along_y : along_z;
    }
    /// Returns 1 in a solid cell, else 0, as a number as wide as a velocity: the compiler
    /// vectorises choices between velocities by such a number, but not by a byte.
    WATARI_INLINE Real solid(index at) const { return level.solid(f.flags, at); }

    WATARI_INLINE Real difference_up(const Real* of, unsigned axis) const {
        return (of[c.at + step(axis)] - of[c.at]) * f.air.per_d[axis];
    }
    /// d_b u_a + d_a u_b at the low edge of cell `at`.
    WATARI_INLINE Real strain(index at, unsigned a, unsigned b) const {
        const Real *ua = f.now.velocity[a], *ub = f.now.velocity[b];
        return (ua[at] - ua[at - step(b)]) * f.air.per_d[b] +
               (ub[at] - ub[at - step(a)]) * f.air.per_d[a];
    }
    /// One constant of the wall at the low or high face of this cell, normal to an axis.
    WATARI_INLINE Real at_wall(Real les::wall<Real>::*of, unsigned axis, bool high) const {
        return axis != 2 ? f.air.side[axis].*of : high ? level.above.*of : level.below.*of;
    }
    /// Strain squared at one of the cell's four edges in plane (a, b); with Walls, the wall's
    /// strain at a flat wall.
    template <bool Walls>
    WATARI_INLINE Real square_at(unsigned a, unsigned b, bool high_a, bool high_b) const {
        const index edge = c.at + (high_a ? step(a) : 0) + (high_b ? step(b) : 0);
        Real s = strain(edge, a, b);
        if constexpr (Walls) {
            const index beside_a = high_a ? c.at + step(a) : c.at - step(a);
            const index beside_b = high_b ? c.at + step(b) : c.at - step(b);
            const index across = high_b ? beside_a + step(b) : beside_a - step(b);
            const Real wall_a = solid(beside_a), wall_b = solid(beside_b), far = solid(across);
            const Real at_a = at_wall(&les::wall<Real>::strain, a, high_a),
                       at_b = at_wall(&les::wall<Real>::strain, b, high_b);
            const Real by_b = wall_b + far - wall_a > Real(1.5) ? at_b : Real(1);
            s = s * (wall_a + far - wall_b > Real(1.5) ? at_a : by_b);
        }
        return s * s;
    }
    template <bool Walls>
    WATARI_INLINE Real mean_square(unsigned a, unsigned b) const {
        return Real(0.25) *
               ((square_at<Walls>(a, b, false, false) + square_at<Walls>(a, b, true, false)) +
                (square_at<Walls>(a, b, false, true) + square_at<Walls>(a, b, true, true)));
    }

    /// 4 (u_a u_a - 2 nu d_a u_a) in the centre of cell `at`.
    WATARI_INLINE Real normal_flux(index at, unsigned a) const {
        const Real* u = f.now.velocity[a];
        return normal_flux_of(u[at], u[at + step(a)], f.nu[at], f.air.per_d[a]);
    }
    /// 4 (u_b u_a - nu_e (d_b u_a + d_a u_b)) at the low edge of cell `at`.
    template <bool Walls>
    WATARI_INLINE Real edge_flux(index at, unsigned a, unsigned b) const {
        const Real *ua = f.now.velocity[a], *ub = f.now.velocity[b];
        const index left = at - step(a), below = at - step(b), far = left - step(b);
        Real share = Real(1);
        if constexpr (Walls)
            share = (solid(at) + solid(left)) + (solid(below) + solid(far)) > Real(0.5)
                        ? Real(4) * (Real(1) / Real(3))
                        : Real(1);
        const edge_of<Real> edge{ua[at],   ua[below],      ub[at],
                                 ub[left], f.air.per_d[a], f.air.per_d[b]};
        return edge.flux(f.nu[at], f.nu[left], f.nu[below], f.nu[far], share);
    }
    /// Returns the speed along a wall normal to b, at this cell's face of u_a.
    WATARI_INLINE Real speed_along(unsigned a, unsigned b) const {
        const unsigned other = 3 - a - b;
        const Real own = f.now.velocity[a][c.at];
        const Real* u = f.now.velocity[other] + c.at;
        const index left = step(a), up = step(other);
        const Real mean = Real(0.25) * ((u[0] + u[-static_cast<offset>(left)]) +
                                        (u[up] + u[static_cast<offset>(up - left)]));
        return square_root(own * own + mean * mean);
    }
    /// Difference of the fluxes of u_a through both edges along b, over the spacing.
    template <bool Walls>
    WATARI_INLINE Real edges(unsigned a, unsigned b) const {
        Real low = edge_flux<Walls>(c.at, a, b);
        Real high = edge_flux<Walls>(c.at + step(b), a, b);
        if constexpr (Walls) {
            const index left = c.at - step(a);
            const Real speed = speed_along(a, b), own = f.now.velocity[a][c.at];
            const auto rough = &les::wall<Real>::rough, smooth = &les::wall<Real>::smooth;
            const Real stress_low =
                Real(4) * own * (at_wall(rough, b, false) * speed + at_wall(smooth, b, false));
            const Real past_high = a == 0 && b == 2 ? own - level.above.speed : own;
            const Real stress_high =
                Real(4) * past_high * (at_wall(rough, b, true) * speed + at_wall(smooth, b, true));
            const Real wall_low = solid(c.at - step(b)) + solid(left - step(b));
            const Real wall_high = solid(c.at + step(b)) + solid(left + step(b));
            low = wall_low > Real(1.5) ? -stress_low : low;
            high = wall_high > Real(1.5) ? stress_high : high;
        }
        return (high - low) * (Real(0.25) * f.air.per_d[b]);
    }
    /// The tendency of velocity A at the low face of this cell.
    template <bool Walls, unsigned A>
    WATARI_INLINE Real momentum() const {
        constexpr unsigned b = A == 0 ? 1 : 0, d = A == 2 ? 1 : 2;
        const Real inward =
            (normal_flux(c.at, A) - normal_flux(c.at - step(A), A)) * (Real(0.25) * f.air.per_d[A]);
        Real force = f.air.force[A];
        if constexpr (A == 2)
            force =
                f.air.buoyancy * (Real(0.5) * (f.now.theta[c.at] + f.now.theta[c.at - step(2)]));
        return force - (inward + (edges<Walls>(A, b) + edges<Walls>(A, d)));
    }

    /// Twice the flux of theta through the low face of cell `at`.
    WATARI_INLINE Real heat_flux(index at, unsigned a) const {
        const index before = at - step(a);
        return heat_flux_of(f.air, f.now.velocity[a][at], f.now.theta[before], f.now.theta[at],
                            f.nu[before], f.nu[at], f.air.per_d[a]);
    }
    /// The tendency of theta; closed faces let nothing through.
    template <bool Walls>
    WATARI_INLINE Real warming() const {
        Real out = 0;
        for (unsigned a = 0; a < 3; ++a) {
            const auto own = level.own(f.flags, c);
            const Real low = heat_flux(c.at, a), high = heat_flux(c.at + step(a), a);
            const bool open_low = !Walls || (own & les::flag::low(a)) != 0;
            const bool open_high = !Walls || (own & les::flag::high(a)) != 0;
            out += ((open_high ? high : Real(0)) - (open_low ? low : Real(0))) *
                   (Real(0.5) * f.air.per_d[a]);
        }
        return -out;
    }
};

}  // namespace watari::WATARI_BACKEND
