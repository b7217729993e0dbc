// Kernels for both backends; see core/backend.hpp.
#include "upwind.hpp"

#include "../grid/loops.hpp"
#include "watari/core/unrolled.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using les::flow_arguments, les::stage, les::stage_factors;

template <class Real, stage Which>
struct bias_one {
    flow_arguments<Real> f;
    stage_factors<Real> by;
    const std::uint8_t* flags;  ///< `far`
    index step[3];
    using two_paths = void;
    using many_registers = void;

    struct result {
        Real q[3], next[3];
    };
    WATARI_INLINE index plane() const { return step[2]; }

    /// Twice U d2u(up) of velocity a between the cells `at` and the one before it along b. `behind`
    /// and `ahead`: the cells two before the flux, and two after it. All values are loaded before
    /// the choice between them, so that a CPU has no branch.
    template <bool Walls>
    WATARI_INLINE Real flux(index at, unsigned a, unsigned b, index to_a, index to_b, index behind,
                            index ahead) const {
        const Real* const u = f.now.velocity[a];
        const Real* const across = f.now.velocity[b];
        const index left = at - to_b;
        const Real twice = across[at] + across[at - to_a];
        const bool forward = twice > 0;
        const Real low = u[left], high = u[at], lower = u[behind], higher = u[ahead];
        const Real more = high - low, before = more - (low - lower), after = (higher - high) - more;
        const Real bend = twice * (forward ? before : after);
        if constexpr (Walls) {
            const unsigned both = f.flags[left] & f.flags[at], far_low = f.flags[behind],
                           far_high = f.flags[ahead];
            const bool open_low = (both & far_low & les::flag::low(a)) != 0;
            const bool open_high = (both & far_high & les::flag::low(a)) != 0;
            return (forward ? open_low : open_high) ? bend : Real(0);
        }
        return bend;
    }
    /// The term of velocity a along b.
    template <bool Walls>
    WATARI_INLINE Real along(const cell& c, unsigned a, unsigned b, index to_a, index s) const {
        // no plane is two below the ground or two above the lid, and none is needed there
        const bool on_ground = Walls && b == 2 && c.k == 0;
        const bool at_lid = Walls && b == 2 && c.k + 1 == static_cast<index>(f.grid.size.z);
        const index down = on_ground ? s : 2 * s, up = at_lid ? s : 2 * s;
        const Real low = flux<Walls>(c.at, a, b, to_a, s, c.at - down, c.at + s);
        const Real high = flux<Walls>(c.at + s, a, b, to_a, s, c.at - s, c.at + up);
        return (high - low) * (Real(1.0 / 12) * f.air.per_d[b]);
    }
    template <bool Walls>
    WATARI_INLINE void one(result& now, const cell& c, unsigned a, index to_a) const {
        const Real along_x = along<Walls>(c, a, 0, to_a, 1),
                   along_y = along<Walls>(c, a, 1, to_a, step[1]),
                   along_z = along<Walls>(c, a, 2, to_a, step[2]);
        const Real sum = by.step * ((along_x + along_y) + along_z);
        bool open = true;
        if constexpr (Walls) open = (f.flags[c.at] & les::flag::low(a)) != 0;
        const Real more = open ? sum : Real(0);
        if constexpr (Which != stage::last) now.q[a] = f.q[a][c.at] + more;
        now.next[a] = f.next.velocity[a][c.at] + by.b * more;
    }
    template <bool Walls>
    WATARI_INLINE result value(const cell& c) const {
        result now{};
        one<Walls>(now, c, 0, 1);
        one<Walls>(now, c, 1, step[1]);
        one<Walls>(now, c, 2, step[2]);
        return now;
    }
    WATARI_INLINE void put(const cell& c, const result& now) const {
        WATARI_UNROLLED
        for (unsigned a = 0; a < 3; ++a) {
            if constexpr (Which != stage::last) f.q[a][c.at] = now.q[a];
            f.next.velocity[a][c.at] = now.next[a];
        }
    }
};

template <stage Which, class Real>
void bias_by(const flow_arguments<Real>& f, const stage_factors<Real>& by, stream_t stream) {
    const auto row = static_cast<index>(f.grid.row()), plane = static_cast<index>(f.grid.plane());
    const bias_one<Real, Which> body{f, by, f.far, {1, row, plane}};
    for_each_cell(f.grid, body,
                  written<Real>{{f.next.velocity[0], f.next.velocity[1], f.next.velocity[2]}, 3},
                  stream);
}

template <class Real>
void bias(const flow_arguments<Real>& f, stage which, const stage_factors<Real>& by,
          stream_t stream) {
    which == stage::last ? bias_by<stage::last>(f, by, stream)
                         : bias_by<stage::middle>(f, by, stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::les {

template <class Real>
const upwind_kernels<Real> upwind_kernels<Real>::WATARI_BACKEND{.bias = WATARI_BACKEND::bias<Real>};

template const upwind_kernels<float> upwind_kernels<float>::WATARI_BACKEND;
template const upwind_kernels<double> upwind_kernels<double>::WATARI_BACKEND;

}  // namespace watari::les
