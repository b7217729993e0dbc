// Kernels for both backends; see core/backend.hpp.
#include "upwind.hpp"

#include "../grid/loops.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using les::flow_arguments, les::stage, les::stage_factors;

template <class Real, stage Which>
struct bias_one {
    flow_arguments<Real> f;
    stage_factors<Real> by;
    const std::uint8_t* flags;
    index step[3];
    using two_paths = void;
    using many_registers = void;

    struct result {
        Real q[3], next[3];
    };
    WATARI_INLINE index plane() const { return step[2]; }

    /// Twice U d2u(up) of velocity a between the cells `at` and the one before it along b. `behind`
    /// and `ahead`: the cells two before the flux, and two after it.
    WATARI_INLINE Real flux(index at, unsigned a, unsigned b, index behind, index ahead) const {
        const Real* const u = f.now.velocity[a];
        const Real* const across = f.now.velocity[b];
        const index left = at - step[b];
        const Real twice = across[at] + across[at - step[a]];
        const bool forward = twice > 0;
        const auto open =
            flags[left] & flags[at] & (forward ? flags[behind] : flags[ahead]) & les::flag::low(a);
        const Real low = u[left], high = u[at];
        const Real bend =
            forward ? (high - low) - (low - u[behind]) : (u[ahead] - high) - (high - low);
        return open ? twice * bend : Real(0);
    }
    template <bool Walls>
    WATARI_INLINE result value(const cell& c) const {
        const auto own = flags[c.at];
        const index last = static_cast<index>(f.grid.size.z) - 1;
        result now{};
        for (unsigned a = 0; a < 3; ++a) {
            Real more = 0;
            for (unsigned b = 0; b < 3; ++b) {
                const index s = step[b];
                // no plane is two below the ground or two above the lid, and none is needed there
                const bool on_ground = Walls && b == 2 && c.k == 0;
                const bool at_lid = Walls && b == 2 && c.k == last;
                const Real low = flux(c.at, a, b, on_ground ? c.at - s : c.at - 2 * s, c.at + s);
                const Real high = flux(c.at + s, a, b, c.at - s, at_lid ? c.at + s : c.at + 2 * s);
                more += (high - low) * (Real(1.0 / 12) * f.air.per_d[b]);
            }
            const bool open = !Walls || (own & les::flag::low(a)) != 0;
            more = open ? by.step * more : Real(0);
            if constexpr (Which != stage::last) now.q[a] = f.q[a][c.at] + more;
            now.next[a] = f.next.velocity[a][c.at] + by.b * more;
        }
        return now;
    }
    WATARI_INLINE void put(const cell& c, const result& now) const {
        for (unsigned a = 0; a < 3; ++a) {
            if constexpr (Which != stage::last) f.q[a][c.at] = now.q[a];
            f.next.velocity[a][c.at] = now.next[a];
        }
    }
};

template <stage Which, class Real>
void bias_by(const flow_arguments<Real>& f, const stage_factors<Real>& by, stream_t stream) {
    const auto row = static_cast<index>(f.grid.row()), plane = static_cast<index>(f.grid.plane());
    const bias_one<Real, Which> body{f, by, f.flags, {1, row, plane}};
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
