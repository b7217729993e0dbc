/// alpha and beta of an iteration, and the steps along its directions.
#pragma once

#include "../grid/loops.hpp"
#include "iteration.hpp"
#include "operator.hpp"
#include "vectors.hpp"

namespace watari::WATARI_BACKEND {

/// alpha and beta of an iteration, from the sums in the backend's memory: no host reads these.
WATARI_INLINE double beta_of(const les::iteration_sums* sums, unsigned iteration) {
    const double now = sums->rz[iteration % 2], before = sums->rz[(iteration + 1) % 2];
    return before > 0 ? now / before : 0;
}
WATARI_INLINE double alpha_of(const les::iteration_sums* sums, unsigned iteration) {
    const double d_ad = sums->d_ad[iteration % 2];
    return d_ad > 0 ? sums->rz[iteration % 2] / d_ad : 0;
}

/// A step of r along d; with Both a step of p too. Without Both the last step of p includes this
/// one.
template <class Real, bool Both>
struct step_along {
    fine_operator<Real> a;
    const Real* d;
    Real *p, *r;
    const les::iteration_sums* sums;
    unsigned iteration;
    const std::uint8_t* flags;
    Real alpha{};

    struct result {
        Real p, r;
    };
    WATARI_INLINE void load_constants() { alpha = Real(alpha_of(sums, iteration)); }
    WATARI_INLINE index plane() const { return a.plane; }
    template <bool Walls>
    WATARI_INLINE result value(const cell& c) const {
        return {Both ? p[c.at] + alpha * d[c.at] : Real(0),
                r[c.at] - alpha * a.template apply<Walls>(in_array<Real>{d}, c)};
    }
    WATARI_INLINE void put(const cell& c, const result& of) const {
        if constexpr (Both) p[c.at] = of.p;
        r[c.at] = of.r;
    }
    /// For packs of a GPU.
    template <class Lane>
    struct reads {
        typename Lane::template star<Real> d;
        typename Lane::template own<Real> p, r;
        typename fine_operator<Real>::template reads<Lane> a;

        WATARI_INLINE void begin(const step_along& b, const typename Lane::where& at) {
            d.begin(b.d, at);
        }
        WATARI_INLINE void next(const step_along& b, const typename Lane::where& at) {
            a.next(b.a, at);
            d.next(b.d, at);
            if constexpr (Both) p.next(b.p, at);
            r.next(b.r, at);
        }
        WATARI_INLINE bool inner() const { return a.inner(); }
        template <bool Walls>
        WATARI_INLINE result value(const step_along& b, unsigned k, unsigned n,
                                   const cell& c) const {
            const typename Lane::template vector<Real> x{d, k, n};
            return {Both ? p.own[k][n] + b.alpha * x(c, 0, 0, 0) : Real(0),
                    r.own[k][n] - b.alpha * a.of(b.a, k, n).template apply<Walls>(x, c)};
        }
    };
    template <class Write>
    WATARI_INLINE void write(const Write& at, const result (&v)[4]) const {
        if constexpr (Both) at(p, {{v[0].p, v[1].p, v[2].p, v[3].p}});
        at(r, {{v[0].r, v[1].r, v[2].r, v[3].r}});
    }
};

/// p after the last step and the one before it; the one before is along d.
template <class Real>
struct last_pressure : stepped<Real> {
    const les::iteration_sums* sums;
    unsigned iteration;

    WATARI_INLINE void load_constants() {
        this->before = Real(alpha_of(sums, iteration - 1));
        this->beta = Real(beta_of(sums, iteration));
        this->alpha = Real(alpha_of(sums, iteration));
    }
};

/// The last two steps of p.
template <class Real>
struct last_steps {
    last_pressure<Real> stepped;
    Real* p;
    const std::uint8_t* flags = nullptr;

    WATARI_INLINE void load_constants() { stepped.load_constants(); }
    template <bool>
    WATARI_INLINE Real value(const cell& c) const {
        return stepped[static_cast<offset>(c.at)];
    }
    WATARI_INLINE void put(const cell& c, Real value) const { p[c.at] = value; }
    template <class Lane>
    struct reads {
        typename Lane::template own<Real> p;

        WATARI_INLINE void begin(const last_steps&, const typename Lane::where&) {}
        WATARI_INLINE void next(const last_steps& b, const typename Lane::where& at) {
            p.next(b.stepped, at);
        }
        WATARI_INLINE bool inner() const { return true; }
        template <bool>
        WATARI_INLINE Real value(const last_steps&, unsigned k, unsigned n, const cell&) const {
            return p.own[k][n];
        }
    };
    template <class Write>
    WATARI_INLINE void write(const Write& at, const Real (&v)[4]) const {
        at(p, {{v[0], v[1], v[2], v[3]}});
    }
};

/// The only step of p.
template <class Real>
struct one_step {
    const Real* d;
    Real* p;
    const les::iteration_sums* sums;
    unsigned iteration;
    const std::uint8_t* flags = nullptr;
    Real alpha{};

    WATARI_INLINE void load_constants() { alpha = Real(alpha_of(sums, iteration)); }
    template <bool>
    WATARI_INLINE Real value(const cell& c) const {
        return p[c.at] + alpha * d[c.at];
    }
    WATARI_INLINE void put(const cell& c, Real value) const { p[c.at] = value; }
};

}  // namespace watari::WATARI_BACKEND
