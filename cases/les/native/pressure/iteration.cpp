// Kernels for both backends; see core/backend.hpp.
#include "iteration.hpp"

#include "../flow/correction.hpp"
#include "operator.hpp"
#include "steps.hpp"
#include "totals.hpp"
#include "vectors.hpp"

namespace watari::WATARI_BACKEND {

namespace {

using les::flow_arguments, les::iteration_sums, les::level;

template <class Real>
struct residual_of {
    fine_operator<Real> a;
    const Real *u, *v, *w, *p;
    Real* r;
    Real per_d[3], per_tau;
    const std::uint8_t* flags;

    using many_registers = void;  // in packs
    WATARI_INLINE index plane() const { return a.plane; }
    template <bool Walls>
    WATARI_INLINE Real value(const cell& c) const {
        const index at = c.at;
        const Real low[3] = {u[at], v[at], w[at]};
        const Real high[3] = {u[at + 1], v[at + a.row], w[at + a.plane]};
        return rest<Walls>(a, in_array<Real>{p}, c, low, high, flags[at] & les::flag::fluid);
    }
    template <bool Walls, class Own, class Values>
    WATARI_INLINE Real rest(const Own& a, const Values& p, const cell& c, const Real (&low)[3],
                            const Real (&high)[3], bool fluid) const {
        const Real div = ((high[0] - low[0]) * per_d[0] + (high[1] - low[1]) * per_d[1]) +
                         (high[2] - low[2]) * per_d[2];
        const Real own = -(div * per_tau) - a.template apply<Walls>(p, c);
        return !Walls || fluid ? own : Real(0);
    }
    WATARI_INLINE void put(const cell& c, Real value) const { r[c.at] = value; }
    /// For packs of a GPU.
    template <class Lane>
    struct reads {
        typename Lane::template star<Real> p;
        typename Lane::template right<Real> u;
        typename Lane::template high<Real> v;
        typename Lane::template above<Real> w;
        typename fine_operator<Real>::template reads<Lane> a;

        WATARI_INLINE void begin(const residual_of& b, const typename Lane::where& at) {
            p.begin(b.p, at);
            w.begin(b.w, at);
        }
        WATARI_INLINE void next(const residual_of& b, const typename Lane::where& at) {
            a.next(b.a, at);
            p.next(b.p, at);
            u.next(b.u, at);
            v.next(b.v, at);
            w.next(b.w, at);
        }
        WATARI_INLINE bool inner() const { return a.inner(); }
        template <bool Walls>
        WATARI_INLINE Real value(const residual_of& b, unsigned k, unsigned n,
                                 const cell& c) const {
            const Real low[3] = {u.own[k][n], v.own[k][n], w.plane[k][n]};
            const Real high[3] = {u.right(k, n), v.high[k][n], w.plane[k + 1][n]};
            const typename Lane::template vector<Real> x{p, k, n};
            return b.template rest<Walls>(a.of(b.a, k, n), x, c, low, high, a.fluid(k, n));
        }
    };
    template <class Write>
    WATARI_INLINE void write(const Write& at, const Real (&v)[4]) const {
        at(r, {{v[0], v[1], v[2], v[3]}});
    }
};

template <class Real>
void residual(const level<Real>& l, const flow_arguments<Real>& f, Real tau, stream_t stream) {
    const auto& u = f.next.velocity;
    for_each_cell(l.grid,
                  residual_of<Real>{fine_operator<Real>(l),
                                    u[0],
                                    u[1],
                                    u[2],
                                    f.p,
                                    l.r,
                                    {f.air.per_d[0], f.air.per_d[1], f.air.per_d[2]},
                                    Real(1) / tau,
                                    l.flags},
                  only(l.r), stream);
}

template <class Real>
struct next_direction {
    const Real* z;
    Real* d;
    const iteration_sums* sums;
    unsigned iteration;
    const std::uint8_t* flags = nullptr;
    Real beta{};

    WATARI_INLINE void load_constants() { beta = Real(beta_of(sums, iteration)); }
    template <bool>
    WATARI_INLINE Real value(const cell& c) const {
        return z[c.at] + beta * d[c.at];
    }
    WATARI_INLINE void put(const cell& c, Real value) const { d[c.at] = value; }
    template <class Lane>
    struct reads {
        typename Lane::template own<Real> z, d;

        WATARI_INLINE void begin(const next_direction&, const typename Lane::where&) {}
        WATARI_INLINE void next(const next_direction& b, const typename Lane::where& at) {
            z.next(b.z, at);
            d.next(b.d, at);
        }
        WATARI_INLINE bool inner() const { return true; }
        template <bool>
        WATARI_INLINE Real value(const next_direction& b, unsigned p, unsigned n,
                                 const cell&) const {
            return z.own[p][n] + b.beta * d.own[p][n];
        }
    };
    template <class Write>
    WATARI_INLINE void write(const Write& at, const Real (&v)[4]) const {
        at(d, {{v[0], v[1], v[2], v[3]}});
    }
};

template <class Real>
void direction(const level<Real>& l, Real* d, const iteration_sums* sums, unsigned iteration,
               stream_t stream) {
    for_each_cell(l.grid, next_direction<Real>{l.e, d, sums, iteration}, only(d), stream);
}

/// d.Ad of the direction in memory, or of the last direction, which is never stored.
template <class Real, class Array = const Real*>
struct curvature_of {
    fine_operator<Real> a;
    Array d;
    const std::uint8_t* flags;
    const iteration_sums* sums = nullptr;
    unsigned iteration = 0;

    WATARI_INLINE void load_constants() {
        if constexpr (!std::is_pointer_v<Array>) d.factor = Real(beta_of(sums, iteration));
    }
    WATARI_INLINE index plane() const { return a.plane; }
    template <bool Walls>
    WATARI_INLINE double value(const cell& c) const {
        const in_array<Real, Array> x{d};
        return double(x(c, 0, 0, 0)) * double(a.template apply<Walls>(x, c));
    }
    WATARI_INLINE double put(const cell&, double product) const { return product; }
    /// For packs of a GPU.
    template <class Lane>
    struct reads {
        typename Lane::template star<Real> d;
        typename fine_operator<Real>::template reads<Lane> a;

        WATARI_INLINE void begin(const curvature_of& b, const typename Lane::where& at) {
            d.begin(b.d, at);
        }
        WATARI_INLINE void next(const curvature_of& b, const typename Lane::where& at) {
            a.next(b.a, at);
            d.next(b.d, at);
        }
        WATARI_INLINE bool inner() const { return a.inner(); }
        template <bool Walls>
        WATARI_INLINE double value(const curvature_of& b, unsigned p, unsigned n,
                                   const cell& c) const {
            const typename Lane::template vector<Real> x{d, p, n};
            return double(x(c, 0, 0, 0)) * double(a.of(b.a, p, n).template apply<Walls>(x, c));
        }
    };
    template <class Write>
    WATARI_INLINE void write(const Write&, const double (&v)[4], double (&products)[4]) const {
        for (unsigned n = 0; n < 4; ++n) products[n] = v[n];
    }
};

template <class Real>
void curvature(const level<Real>& l, const Real* d, double* partials, stream_t stream) {
    sum_cells(l.grid, curvature_of<Real>{fine_operator<Real>(l), d, l.flags}, partials,
              written<Real>{}, stream);
}

template <class Real>
void last_curvature(const level<Real>& l, const Real* d, const iteration_sums* sums,
                    unsigned iteration, double* partials, stream_t stream) {
    using vector = sum_of<Real>;
    sum_cells(l.grid,
              curvature_of<Real, vector>{fine_operator<Real>(l), vector{l.e, d, Real(0)}, l.flags,
                                         sums, iteration},
              partials, written<Real>{}, stream);
}

template <class Real>
void update(const level<Real>& l, const Real* d, Real* p, const iteration_sums* sums,
            unsigned iteration, stream_t stream) {
    const fine_operator<Real> a(l);
    if (p != nullptr)
        for_each_cell(l.grid, step_along<Real, true>{a, d, p, l.r, sums, iteration, l.flags},
                      written<Real>{{p, l.r}, 2}, stream);
    else
        for_each_cell(l.grid, step_along<Real, false>{a, d, p, l.r, sums, iteration, l.flags},
                      only(l.r), stream);
}

template <class Real>
void finish(const level<Real>& l, const Real* d, Real* p, const iteration_sums* sums,
            unsigned iteration, stream_t stream) {
    if (iteration == 0)
        for_each_cell(l.grid, one_step<Real>{d, p, sums, iteration}, only(p), stream);
    else
        for_each_cell(l.grid, last_steps<Real>{{{p, d, l.e}, sums, iteration}, p}, only(p), stream);
}

/// Returns false on a CPU: it would compute each number of p four times, which takes longer than it
/// saves.
template <class Real>
bool finish_flow(const level<Real>& l, const Real* d, const flow_arguments<Real>& f, Real tau,
                 Real* p, const iteration_sums* sums, unsigned iteration, stream_t stream) {
    if constexpr (executes == processor::type::gpu)
        correct_by(f, tau, last_pressure<Real>{{f.p, d, l.e}, sums, iteration}, stream, p);
    return executes == processor::type::gpu;
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::les {

template <class Real>
const iteration_kernels<Real> iteration_kernels<Real>::WATARI_BACKEND{
    .residual = WATARI_BACKEND::residual<Real>,
    .direction = WATARI_BACKEND::direction<Real>,
    .curvature = WATARI_BACKEND::curvature<Real>,
    .last_curvature = WATARI_BACKEND::last_curvature<Real>,
    .update = WATARI_BACKEND::update<Real>,
    .finish = WATARI_BACKEND::finish<Real>,
    .finish_flow = WATARI_BACKEND::finish_flow<Real>,
    .add_columns = WATARI_BACKEND::add_columns,
    .add_up = WATARI_BACKEND::add_up,
    .add_all = WATARI_BACKEND::add_all};

template const iteration_kernels<float> iteration_kernels<float>::WATARI_BACKEND;
template const iteration_kernels<double> iteration_kernels<double>::WATARI_BACKEND;

}  // namespace watari::les
