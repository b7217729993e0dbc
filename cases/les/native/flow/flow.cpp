// Kernels for both backends; see core/backend.hpp.
#include "flow.hpp"

#include "../grid/loops.hpp"
#include "climb.hpp"
#include "correction.hpp"
#include "momentum.hpp"

#include <type_traits>

namespace watari::WATARI_BACKEND {

namespace {

using les::flow_arguments, les::heated_cells, les::stage, les::stage_factors;

/// nu = nu_molecular + l^2 |S|; |S|^2 = 2 S_aa^2 + for each plane the mean over the cell's four
/// edges of (d_b u_a + d_a u_b)^2. Reads u v w l2 flag, writes nu: 21 bytes in fp32.
template <class Real>
struct viscosity_of {
    flow_arguments<Real> f;
    const std::uint8_t* flags;
    walls_of_plane<Real> walls{};
    using two_paths = void;

    WATARI_INLINE void enter_plane(std::size_t k) { walls.enter_plane(f, k); }
    WATARI_INLINE void prepare_row(const cell& from, index count) { walls.widen(f, from, count); }
    WATARI_INLINE index plane() const { return static_cast<index>(f.grid.plane()); }
    template <bool Walls>
    WATARI_INLINE Real value(const cell& c) const {
        const around<Real> here(f, walls, c);
        if constexpr (Walls && executes == processor::type::gpu)  // a warp inside a building
            if (!(flags[c.at] & les::flag::fluid)) return 0;
        Real squares = 0;
        for (unsigned a = 0; a < 3; ++a) {
            const Real d = here.difference_up(f.now.velocity[a], a);
            squares += d * d;
        }
        squares = squares + squares;
        squares += here.template mean_square<Walls>(0, 1);
        squares += here.template mean_square<Walls>(0, 2);
        squares += here.template mean_square<Walls>(1, 2);
        const Real nu = f.air.nu + f.length2[c.at] * square_root(squares);
        return !Walls || (walls.own(flags, c) & les::flag::fluid) ? nu : Real(0);
    }
    WATARI_INLINE void put(const cell& c, Real value) const { f.nu[c.at] = value; }
};

/// One stage for u, v, w and theta; 69 bytes in fp32, 16 less without reading or writing q, 8 more
/// in moist air.
template <class Real, stage Which, bool Moist>
struct advance_one {
    using moist = std::bool_constant<Moist>;
    flow_arguments<Real> f;
    stage_factors<Real> by;
    const std::uint8_t* flags;
    walls_of_plane<Real> walls{};
    using two_paths = void;
    using many_registers = void;
    using parts = std::integral_constant<unsigned, 4>;

    struct result {
        Real q[4], next[4];
    };
    WATARI_INLINE void enter_plane(std::size_t k) { walls.enter_plane(f, k); }
    WATARI_INLINE void prepare_row(const cell& from, index count) { walls.widen(f, from, count); }
    WATARI_INLINE index plane() const { return static_cast<index>(f.grid.plane()); }
    /// Returns the components from First to Last of u, v, w and theta.
    template <bool Walls, unsigned First = 0, unsigned Last = 4>
    WATARI_INLINE result value(const cell& c) const {
        const around<Real> here(f, walls, c);
        const auto own = walls.own(flags, c);
        result now{};
        if constexpr (Walls && executes == processor::type::gpu) {  // a warp inside a building
            if (!(own & les::flag::fluid)) {
                for (unsigned n = 0; n < 4; ++n) now.next[n] = f.now[n][c.at] + by.b * now.q[n];
                return now;
            }
        }
        // all tendencies before the first store: shared values are loaded and computed once
        Real tendency[4]{};
        if constexpr (First == 0) tendency[0] = here.template momentum<Walls, 0>();
        if constexpr (First <= 1 && 1 < Last) tendency[1] = here.template momentum<Walls, 1>();
        if constexpr (First <= 2 && 2 < Last) tendency[2] = here.template momentum<Walls, 2>();
        if constexpr (Moist && First <= 2 && 2 < Last) tendency[2] += moist_lift(f, c.at);
        if constexpr (Last == 4) tendency[3] = here.template warming<Walls>();
        for (unsigned n = First; n < Last; ++n) {
            const bool open =
                !Walls || (own & (n == 3 ? les::flag::fluid : les::flag::low(n))) != 0;
            Real q = by.step * tendency[n];
            if constexpr (Which != stage::first) q = by.a * f.q[n][c.at] + q;
            now.q[n] = open ? q : Real(0);
            now.next[n] = f.now[n][c.at] + by.b * now.q[n];
        }
        return now;
    }
    template <unsigned First = 0, unsigned Last = 4>
    WATARI_INLINE void put(const cell& c, const result& now) const {
        for (unsigned n = First; n < Last; ++n) {
            if constexpr (Which != stage::last) f.q[n][c.at] = now.q[n];
            (n == 3 ? f.next.theta : f.next.velocity[n])[c.at] = now.next[n];
        }
    }
};

template <class Real>
void viscosity(const flow_arguments<Real>& f, stream_t stream) {
    const viscosity_of<Real> body{f, f.flags};
    if constexpr (sizeof(Real) == 4)
        if (climb_viscosity<Real>(f.grid, body, stream)) return;
    for_each_cell(f.grid, body, written<Real>{{f.nu}, 1}, stream);
}

template <stage Which, bool Moist, class Real>
void advance_in(const flow_arguments<Real>& f, const stage_factors<Real>& by, stream_t stream) {
    const advance_one<Real, Which, Moist> body{f, by, f.flags};
    if constexpr (sizeof(Real) == 4)
        if (climb_stage<Which, Real>(f.grid, body, stream)) return;
    for_each_cell(f.grid, body, all_of(f.next), stream);
}

template <stage Which, class Real>
void advance_by(const flow_arguments<Real>& f, const stage_factors<Real>& by, stream_t stream) {
    f.wet[0] != nullptr ? advance_in<Which, true>(f, by, stream)
                        : advance_in<Which, false>(f, by, stream);
}

template <class Real>
void advance(const flow_arguments<Real>& f, stage which, const stage_factors<Real>& by,
             stream_t stream) {
    if (which == stage::first)
        advance_by<stage::first>(f, by, stream);
    else if (which == stage::middle)
        advance_by<stage::middle>(f, by, stream);
    else
        advance_by<stage::last>(f, by, stream);
}

template <class Real>
void heat(const flow_arguments<Real>& f, const heated_cells<Real>& cells, stage which,
          const stage_factors<Real>& by, stream_t stream) {
    for_each(
        cells.count,
        [=] WATARI_KERNEL(std::size_t n) {
            const std::size_t at = cells.cell[n];
            const Real more = by.step * (cells.flux[n] * cells.per_d);
            if (which != stage::last) f.q[3][at] += more;
            f.next.theta[at] += by.b * more;
        },
        stream);
}

template <class Real>
void correct(const flow_arguments<Real>& f, Real tau, stream_t stream) {
    correct_by(f, tau, static_cast<const Real*>(f.p), stream);
}

/// Zeros an array in the parts that each thread will compute on, so that each page is near its
/// thread.
void clear(void* data, std::size_t bytes, stream_t stream) {
    auto* const all = static_cast<std::uint8_t*>(data);
    for_each(
        bytes, [=] WATARI_KERNEL(std::size_t n) { all[n] = 0; }, stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::les {

template <class Real>
const flow_kernels<Real> flow_kernels<Real>::WATARI_BACKEND{
    .viscosity = WATARI_BACKEND::viscosity<Real>,
    .advance = WATARI_BACKEND::advance<Real>,
    .heat = WATARI_BACKEND::heat<Real>,
    .correct = WATARI_BACKEND::correct<Real>,
    .clear = WATARI_BACKEND::clear};

template const flow_kernels<float> flow_kernels<float>::WATARI_BACKEND;
template const flow_kernels<double> flow_kernels<double>::WATARI_BACKEND;

}  // namespace watari::les
