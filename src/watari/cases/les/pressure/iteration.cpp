// Kernels for both backends; see core/backend.hpp.
#include "watari/cases/les/pressure/iteration.hpp"

#include "watari/cases/les/pressure/operator.hpp"
#include "watari/core/parallel/sums.hpp"

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

    WATARI_INLINE index plane() const { return a.plane; }
    template <bool Walls>
    WATARI_INLINE Real value(const cell& c) const {
        const index at = c.at;
        const Real div = ((u[at + 1] - u[at]) * per_d[0] + (v[at + a.row] - v[at]) * per_d[1]) +
                         (w[at + a.plane] - w[at]) * per_d[2];
        const Real own = -(div * per_tau) - a.template apply<Walls>(in_array<Real>{p}, c);
        return !Walls || (flags[at] & les::flag::fluid) ? own : Real(0);
    }
    WATARI_INLINE void put(const cell& c, Real value) const { r[c.at] = value; }
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

/// What an iteration makes of the sums in memory: no host looks at them.
WATARI_INLINE double beta_of(const iteration_sums* sums, unsigned iteration) {
    const double now = sums->rz[iteration % 2], before = sums->rz[(iteration + 1) % 2];
    return before > 0 ? now / before : 0;
}
WATARI_INLINE double alpha_of(const iteration_sums* sums, unsigned iteration) {
    return sums->d_ad > 0 ? sums->rz[iteration % 2] / sums->d_ad : 0;
}

template <class Real>
struct next_direction {
    const Real* z;
    Real* d;
    const iteration_sums* sums;
    unsigned iteration;
    const std::uint8_t* flags = nullptr;
    Real beta{};

    WATARI_INLINE void enter() { beta = Real(beta_of(sums, iteration)); }
    template <bool>
    WATARI_INLINE Real value(const cell& c) const {
        return z[c.at] + beta * d[c.at];
    }
    WATARI_INLINE void put(const cell& c, Real value) const { d[c.at] = value; }
};

template <class Real>
void direction(const level<Real>& l, Real* d, const iteration_sums* sums, unsigned iteration,
               stream_t stream) {
    for_each_cell(l.grid, next_direction<Real>{l.e, d, sums, iteration}, only(d), stream);
}

template <class Real>
struct curvature_of {
    fine_operator<Real> a;
    const Real* d;
    const std::uint8_t* flags;

    WATARI_INLINE index plane() const { return a.plane; }
    template <bool Walls>
    WATARI_INLINE double value(const cell& c) const {
        return double(d[c.at]) * double(a.template apply<Walls>(in_array<Real>{d}, c));
    }
    WATARI_INLINE double put(const cell&, double product) const { return product; }
};

template <class Real>
void curvature(const level<Real>& l, const Real* d, double* partials, stream_t stream) {
    sum_cells(l.grid, curvature_of<Real>{fine_operator<Real>(l), d, l.flags}, partials,
              written<Real>{}, stream);
}

template <class Real>
struct step_along {
    fine_operator<Real> a;
    const Real* d;
    Real *p, *r;
    const iteration_sums* sums;
    unsigned iteration;
    const std::uint8_t* flags;
    Real alpha{};

    struct result {
        Real p, r;
    };
    WATARI_INLINE void enter() { alpha = Real(alpha_of(sums, iteration)); }
    WATARI_INLINE index plane() const { return a.plane; }
    template <bool Walls>
    WATARI_INLINE result value(const cell& c) const {
        return {p[c.at] + alpha * d[c.at],
                r[c.at] - alpha * a.template apply<Walls>(in_array<Real>{d}, c)};
    }
    WATARI_INLINE void put(const cell& c, const result& of) const {
        p[c.at] = of.p;
        r[c.at] = of.r;
    }
};

template <class Real>
void update(const level<Real>& l, const Real* d, Real* p, const iteration_sums* sums,
            unsigned iteration, stream_t stream) {
    for_each_cell(l.grid,
                  step_along<Real>{fine_operator<Real>(l), d, p, l.r, sums, iteration, l.flags},
                  written<Real>{{p, l.r}, 2}, stream);
}

template <class Real>
struct last_step {
    const Real* d;
    Real* p;
    const iteration_sums* sums;
    unsigned iteration;
    const std::uint8_t* flags = nullptr;
    Real alpha{};

    WATARI_INLINE void enter() { alpha = Real(alpha_of(sums, iteration)); }
    template <bool>
    WATARI_INLINE Real value(const cell& c) const {
        return p[c.at] + alpha * d[c.at];
    }
    WATARI_INLINE void put(const cell& c, Real value) const { p[c.at] = value; }
};

template <class Real>
void finish(const level<Real>& l, const Real* d, Real* p, const iteration_sums* sums,
            unsigned iteration, stream_t stream) {
    for_each_cell(l.grid, last_step<Real>{d, p, sums, iteration}, only(p), stream);
}

void add_columns(const les::grid& g, const double* partials, double* columns, stream_t stream) {
    const std::size_t each = g.size.x / les::piece_of(g.size.x) * g.size.y, planes = g.size.z;
    for_each(
        each,
        [=] WATARI_KERNEL(std::size_t n) {
            constexpr std::size_t at_once = 16;  // loads: a GPU has few of these threads
            const double* from = partials + n;
            double sum = 0;
            std::size_t k = 0;
            for (; k + at_once <= planes; k += at_once) {
                double next[at_once];
                for (std::size_t a = 0; a < at_once; ++a) next[a] = from[(k + a) * each];
                for (const double value : next) sum += value;
            }
            for (; k < planes; ++k) sum += from[k * each];
            columns[n] = sum;
        },
        stream);
}

void add_up(const double* values, std::size_t count, double* total, double* scratch,
            stream_t stream) {
    sum_values(values, count, scratch, stream);
    for_each(
        1, [=] WATARI_KERNEL(std::size_t) { *total = scratch[0]; }, stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::les {

template <class Real>
const iteration_kernels<Real> iteration_kernels<Real>::WATARI_BACKEND{
    .residual = WATARI_BACKEND::residual<Real>,
    .direction = WATARI_BACKEND::direction<Real>,
    .curvature = WATARI_BACKEND::curvature<Real>,
    .update = WATARI_BACKEND::update<Real>,
    .finish = WATARI_BACKEND::finish<Real>,
    .add_columns = WATARI_BACKEND::add_columns,
    .add_up = WATARI_BACKEND::add_up};

template const iteration_kernels<float> iteration_kernels<float>::WATARI_BACKEND;
template const iteration_kernels<double> iteration_kernels<double>::WATARI_BACKEND;

}  // namespace watari::les
