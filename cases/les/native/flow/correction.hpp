/// u = u* - tau grad p at open faces: reads u v w p flag, writes u v w: 29 bytes in fp32.
#pragma once

#include "../grid/loops.hpp"
#include "flow.hpp"

#include <cstdint>
#include <type_traits>

namespace watari::WATARI_BACKEND {

/// Whether a pressure is computed on reading, and not in memory.
template <class Array>
inline constexpr bool is_computed = !std::is_pointer_v<Array>;

/// Corrects the flow by a pressure in memory, or by a pressure that is computed on reading. A
/// computed pressure, `Array`, has load_constants(), and its values are written to `p`.
template <class Real, class Array>
struct correct_one {
    les::flow_arguments<Real> f;
    Array pressure;
    Real* p;
    Real tau;
    const std::uint8_t* flags;
    index step[3];  ///< along each axis

    struct result {
        Real u[3], p;
    };
    WATARI_INLINE void load_constants() {
        if constexpr (is_computed<Array>) pressure.load_constants();
    }
    WATARI_INLINE index plane() const { return step[2]; }
    WATARI_INLINE result corrected(const Real (&u)[3], Real own, const Real (&before)[3],
                                   const bool (&open)[3]) const {
        result now{};
        now.p = own;
        for (unsigned a = 0; a < 3; ++a) {
            const Real slope = (own - before[a]) * f.air.per_d[a];
            const Real value = u[a] - tau * slope;
            now.u[a] = open[a] ? value : Real(0);
        }
        return now;
    }
    template <bool Walls>
    WATARI_INLINE static bool open(std::uint8_t own, unsigned axis) {
        return !Walls || (own & les::flag::low(axis)) != 0;
    }
    template <bool Walls>
    WATARI_INLINE result value(const cell& c) const {
        const auto at = static_cast<offset>(c.at);
        const auto beside = [&](unsigned a) { return at - static_cast<offset>(step[a]); };
        const auto own = flags[c.at];
        const Real u[3] = {f.next.velocity[0][at], f.next.velocity[1][at], f.next.velocity[2][at]},
                   before[3] = {pressure[beside(0)], pressure[beside(1)], pressure[beside(2)]};
        return corrected(u, pressure[at], before,
                         {open<Walls>(own, 0), open<Walls>(own, 1), open<Walls>(own, 2)});
    }
    WATARI_INLINE void put(const cell& c, const result& now) const {
        for (unsigned a = 0; a < 3; ++a) f.next.velocity[a][c.at] = now.u[a];
        if constexpr (is_computed<Array>) p[c.at] = now.p;
    }
    /// For packs of a GPU.
    template <class Lane>
    struct reads {
        typename Lane::template lower<Real> p;
        typename Lane::template own<Real> u[3];
        typename Lane::template own<std::uint8_t> flags;

        WATARI_INLINE void begin(const correct_one& b, const typename Lane::where& at) {
            p.begin(b.pressure, at);
        }
        WATARI_INLINE void next(const correct_one& b, const typename Lane::where& at) {
            flags.next(b.flags, at);
            p.next(b.pressure, at);
            for (unsigned a = 0; a < 3; ++a) u[a].next(b.f.next.velocity[a], at);
        }
        WATARI_INLINE bool inner() const {
            return (flags.own[0].mask() & flags.own[1].mask()) == ~0u;
        }
        template <bool Walls>
        WATARI_INLINE result value(const correct_one& b, unsigned k, unsigned n,
                                   const cell&) const {
            const auto own = flags.own[k][n];
            return b.corrected({u[0].own[k][n], u[1].own[k][n], u[2].own[k][n]}, p.plane[k + 1][n],
                               {p.left(k, n), p.low[k][n], p.plane[k][n]},
                               {open<Walls>(own, 0), open<Walls>(own, 1), open<Walls>(own, 2)});
        }
    };
    template <class Write>
    WATARI_INLINE void write(const Write& at, const result (&v)[4]) const {
        for (unsigned a = 0; a < 3; ++a)
            at(f.next.velocity[a], {{v[0].u[a], v[1].u[a], v[2].u[a], v[3].u[a]}});
        at.copy(f.next.theta);
        if constexpr (is_computed<Array>) at(p, {{v[0].p, v[1].p, v[2].p, v[3].p}});
    }
};

template <class Real>
written<Real> all_of(const les::motion<Real>& m) {
    return {{m.velocity[0], m.velocity[1], m.velocity[2], m.theta}, 4};
}

template <class Real, class Array>
void correct_by(const les::flow_arguments<Real>& f, Real tau, const Array& pressure,
                stream_t stream, Real* p = nullptr) {
    const auto row = static_cast<index>(f.grid.row()), plane = static_cast<index>(f.grid.plane());
    written<Real> to = all_of(f.next);
    if (p != nullptr) to.array[to.count++] = p;
    for_each_cell(f.grid, correct_one<Real, Array>{f, pressure, p, tau, f.flags, {1, row, plane}},
                  to, stream);
}

}  // namespace watari::WATARI_BACKEND
