// Kernels for both backends; see core/backend.hpp.
#include "moisture.hpp"

#include "../grid/loops.hpp"
#include "watari/core/parallel/sums.hpp"
#include "watari/core/unrolled.hpp"

#include <cmath>
#include <type_traits>

namespace watari::WATARI_BACKEND {

namespace {

using les::flow_arguments;

template <class Real>
WATARI_INLINE Real magnitude(Real a) {
    return a < 0 ? -a : a;
}
template <class Real>
WATARI_INLINE Real minmod(Real a, Real b) {
    const Real least = magnitude(a) < magnitude(b) ? a : b;
    return a * b > 0 ? least : Real(0);
}

/// What evaporates in the last stage; nothing in the others.
struct no_drying {};

/// One stage of q and l: 33 bytes in fp32, 41 with evaporation.
template <class Real, class Drying>
struct carry_one {
    static constexpr bool dries = !std::is_same_v<Drying, no_drying>;
    flow_arguments<Real> f;
    Drying by;
    const std::uint8_t* flags;  ///< `far`
    Real rate[3];               ///< tau / d
    index step[3];
    using two_paths = void;
    using many_registers = void;

    struct result {
        Real wet[2], theta;
    };
    WATARI_INLINE index plane() const { return step[2]; }

    /// Fluxes of q and l through the low face of cell `at` along an axis. `behind` and `ahead`: the
    /// cells two below the face, and two above. All values are loaded before the choice between
    /// them, so that a CPU has no
    /// branch in rows without walls; beside walls GCC still has some.
    template <bool Walls>
    WATARI_INLINE void face(Real (&flux)[2], index at, unsigned a, index s, index behind,
                            index ahead) const {
        const index left = at - s;
        const Real u = f.now.velocity[a][at], fast = magnitude(u);
        const bool forward = u > 0;
        bool slopes = true;
        if constexpr (Walls) {
            const unsigned below = f.flags[left], above = f.flags[at];
            const bool low = (below & les::flag::low(a)) != 0;
            const bool high = (above & les::flag::high(a)) != 0;
            slopes = forward ? low : high;
        }
        const Real half = Real(0.5) * fast * (Real(1) - fast * rate[a]);
        const Real twice_more = (f.nu[left] + f.nu[at]) - Real(2) * f.air.nu;
        const Real mixing =
            (f.air.kappa + twice_more * (Real(0.5) * f.air.per_prandtl)) * f.air.per_d[a];
        WATARI_UNROLLED
        for (unsigned n = 0; n < 2; ++n) {
            const Real* const q = f.wet[n];
            const Real low = q[left], high = q[at], lower = q[behind], higher = q[ahead];
            const Real more = high - low, before = low - lower, after = higher - high;
            const Real limited = minmod(more, forward ? before : after);
            const Real slope = !Walls || slopes ? limited : Real(0);
            flux[n] = (u * (forward ? low : high) + half * slope) - mixing * more;
        }
    }
    /// Adds what comes in along an axis.
    template <bool Walls>
    WATARI_INLINE void add(Real (&gain)[2], const cell& c, unsigned a, index s) const {
        // no plane is two below the ground or two above the lid, and none is needed there
        const bool on_ground = Walls && a == 2 && c.k == 0;
        const bool at_lid = Walls && a == 2 && c.k + 1 == static_cast<index>(f.grid.size.z);
        const index down = on_ground ? s : 2 * s, up = at_lid ? s : 2 * s;
        Real low[2], high[2];
        face<Walls>(low, c.at, a, s, c.at - down, c.at + s);
        face<Walls>(high, c.at + s, a, s, c.at - s, c.at + up);
        bool open_low = true, open_high = true;
        if constexpr (Walls) {
            const unsigned own = f.flags[c.at];
            open_low = (own & les::flag::low(a)) != 0;
            open_high = (own & les::flag::high(a)) != 0;
        }
        WATARI_UNROLLED
        for (unsigned n = 0; n < 2; ++n)
            gain[n] += ((open_low ? low[n] : Real(0)) - (open_high ? high[n] : Real(0))) * rate[a];
    }
    template <bool Walls>
    WATARI_INLINE result value(const cell& c) const {
        Real gain[2]{};
        add<Walls>(gain, c, 0, 1);
        add<Walls>(gain, c, 1, step[1]);
        add<Walls>(gain, c, 2, step[2]);
        bool fluid = true;
        if constexpr (Walls) fluid = (f.flags[c.at] & les::flag::fluid) != 0;
        result now{};
        WATARI_UNROLLED
        for (unsigned n = 0; n < 2; ++n) {
            const Real moved = f.wet[n][c.at] + gain[n];
            now.wet[n] = fluid ? moved : Real(0);
        }
        if constexpr (dries) {
            const Real theta = f.next.theta[c.at];
            const Real of_air = evaporated(by, theta, now.wet[0], now.wet[1]);
            const Real e = fluid ? of_air : Real(0);
            now.wet[0] += e;
            now.wet[1] -= e;
            now.theta = theta - by.cooling * e;
        }
        return now;
    }
    WATARI_INLINE void put(const cell& c, const result& now) const {
        WATARI_UNROLLED
        for (unsigned n = 0; n < 2; ++n) f.wet_next[n][c.at] = now.wet[n];
        if constexpr (dries) f.next.theta[c.at] = now.theta;
    }
};

template <class Real, class Drying>
void carry_by(const flow_arguments<Real>& f, Real tau, const Drying& by, stream_t stream) {
    const auto& d = f.air.per_d;
    const auto row = static_cast<index>(f.grid.row()), plane = static_cast<index>(f.grid.plane());
    const carry_one<Real, Drying> body{
        f, by, f.far, {tau * d[0], tau * d[1], tau * d[2]}, {1, row, plane}};
    for_each_cell(f.grid, body, written<Real>{}, stream);
}
template <class Real>
void carry(const flow_arguments<Real>& f, Real tau, stream_t stream) {
    carry_by(f, tau, no_drying{}, stream);
}
template <class Real>
void carry_and_dry(const flow_arguments<Real>& f, Real tau, const les::drying<Real>& by,
                   stream_t stream) {
    carry_by(f, tau, by, stream);
}

template <class Real>
void mark(const flow_arguments<Real>& f, std::uint8_t* far, stream_t stream) {
    const les::grid g = f.grid;
    const std::uint8_t* const flags = f.flags;
    for_each(
        g.size.cells(),
        [=] WATARI_KERNEL(std::size_t n) {
            const std::size_t i = n % g.size.x, row = n / g.size.x;
            const std::size_t at = g.at(row / g.size.y, row % g.size.y, i);
            bool all = flags[at] == les::flag::all;
            for (unsigned a = 0; all && a < 3; ++a)
                for (std::size_t away = 1; away <= les::wide_halo; ++away)
                    all = all && flags[at - away * g.stride(a)] == les::flag::all &&
                          flags[at + away * g.stride(a)] == les::flag::all;
            far[at] = all ? les::flag::inner : std::uint8_t(0);
        },
        stream);
}

template <class Real>
void spray(const flow_arguments<Real>& f, const std::uint32_t* cell, const Real* amount,
           std::size_t count, stream_t stream) {
    Real* const l = f.wet_next[1];
    for_each(
        count, [=] WATARI_KERNEL(std::size_t n) { l[cell[n]] += amount[n]; }, stream);
}

/// Along y second, so that whole rows of the halo follow.
template <class Real>
void go_around(const les::grid& g, Real* array, stream_t stream) {
    constexpr std::size_t wide = les::wide_halo;
    const std::size_t rows = g.below + g.size.y + g.above, planes = g.size.z + 2;
    const std::size_t x = g.size.x, y = g.size.y, row = g.row(), plane = g.plane();
    Real* const first = array + g.at(0, 0, 0) - plane;  // of plane -1
    if (g.around_x)
        for_each(
            planes * rows,
            [=, below = g.below] WATARI_KERNEL(std::size_t n) {
                Real* const own = first + n / rows * plane + n % rows * row - below * row;
                for (std::size_t i = 0; i < wide; ++i) {
                    own[x + i] = own[i];
                    *(own - 1 - i) = own[x - 1 - i];
                }
            },
            stream);
    const std::size_t across = x + 2 * wide;
    if (g.around_y)
        for_each(
            planes * across,
            [=] WATARI_KERNEL(std::size_t n) {
                Real* const own = first + n / across * plane + n % across - wide;
                for (std::size_t j = 0; j < wide; ++j) {
                    own[(y + j) * row] = own[j * row];
                    *(own - (1 + j) * row) = own[(y - 1 - j) * row];
                }
            },
            stream);
}

/// The sum of a survey over cells.
struct seen {
    les::moisture of;

    constexpr seen& operator+=(const seen& other) {
        of.vapour += other.of.vapour;
        of.droplets += other.of.droplets;
        of.least_l = other.of.least_l < of.least_l ? other.of.least_l : of.least_l;
        return *this;
    }
};

template <class Real>
les::moisture look(const flow_arguments<Real>& f, stream_t stream) {
    const les::grid g = f.grid;
    const Real *q = f.wet[0], *l = f.wet[1];
    return sum<seen>(
               g.size.cells(),
               [=] WATARI_KERNEL(std::size_t n) {
                   const std::size_t i = n % g.size.x, row = n / g.size.x;
                   const std::size_t at = g.at(row / g.size.y, row % g.size.y, i);
                   const double droplets = l[at];
                   return seen{{double(q[at]), droplets, droplets}};
               },
               stream)
        .of;
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::les {

template <class Real>
const moisture_kernels<Real> moisture_kernels<Real>::WATARI_BACKEND{
    .mark = WATARI_BACKEND::mark<Real>,
    .carry = WATARI_BACKEND::carry<Real>,
    .carry_and_dry = WATARI_BACKEND::carry_and_dry<Real>,
    .spray = WATARI_BACKEND::spray<Real>,
    .go_around = WATARI_BACKEND::go_around<Real>,
    .look = WATARI_BACKEND::look<Real>};

template const moisture_kernels<float> moisture_kernels<float>::WATARI_BACKEND;
template const moisture_kernels<double> moisture_kernels<double>::WATARI_BACKEND;

}  // namespace watari::les
