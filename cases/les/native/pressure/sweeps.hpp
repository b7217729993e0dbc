/// The bodies of a V-cycle's loops.
#pragma once

#include "operator.hpp"
#include "vcycle.hpp"
#include "vectors.hpp"

namespace watari::WATARI_BACKEND {

/// to = x + weight (r - A x) / diagonal.
template <class Operator, class Real, class Vector>
struct sweep_from {
    Operator a;
    Vector x;
    const Real* r;
    Real* to;
    Real weight;
    const std::uint8_t* flags;

    WATARI_INLINE index plane() const { return a.plane; }
    template <bool Walls>
    WATARI_INLINE Real value(const cell& c) const {
        return swept<Walls>(a, x, c, r[c.at], weight);
    }
    template <bool Walls, class Own, class Values>
    WATARI_INLINE static Real swept(const Own& a, const Values& x, const cell& c, Real r,
                                    Real weight) {
        const Real rest = r - a.template apply<Walls>(x, c);
        return x(c, 0, 0, 0) + weight * (a.template inverse<Walls>(c.at) * rest);
    }
    WATARI_INLINE void put(const cell& c, Real value) const { to[c.at] = value; }
    /// For packs of a GPU.
    bool packs() const {
        if constexpr (requires { x.packs(); }) return x.packs();
        return true;
    }
    template <class Lane>
    struct reads {
        typename Vector::template reads<Lane> x;
        typename Operator::template reads<Lane> a;
        typename Lane::template own<Real> r;

        WATARI_INLINE void begin(const sweep_from& s, const typename Lane::where& at) {
            x.begin(s.x, at);
            a.begin(s.a, at);
        }
        WATARI_INLINE void next(const sweep_from& s, const typename Lane::where& at) {
            x.next(s.x, at);
            a.next(s.a, at);
            r.next(s.r, at);
        }
        WATARI_INLINE bool inner() const { return x.inner(a); }
        template <bool Walls>
        WATARI_INLINE void prepare(const sweep_from& s, const typename Lane::where& at) {
            x.template prepare<Walls>(s.x, at);
        }
        template <bool Walls>
        WATARI_INLINE Real value(const sweep_from& s, unsigned p, unsigned n, const cell& c) const {
            const typename Lane::template vector<Real> v{x.all(), p, n};
            return swept<Walls>(a.of(s.a, p, n), v, c, r.own[p][n], s.weight);
        }
    };
    template <class Write>
    WATARI_INLINE void write(const Write& at, const Real (&v)[4]) const {
        at(to, {{v[0], v[1], v[2], v[3]}});
    }
};

/// The same sweep, and the product of r and the new value.
template <class Operator, class Real, class Vector>
struct product_of {
    sweep_from<Operator, Real, Vector> sweep;
    const std::uint8_t* flags;

    struct result {
        Real e;
        double product;
    };
    WATARI_INLINE index plane() const { return sweep.plane(); }
    template <bool Walls>
    WATARI_INLINE result value(const cell& c) const {
        const Real e = sweep.template value<Walls>(c);
        return {e, double(sweep.r[c.at]) * double(e)};
    }
    WATARI_INLINE double put(const cell& c, const result& of) const {
        sweep.to[c.at] = of.e;
        return of.product;
    }
    /// For packs of a GPU.
    template <class Lane>
    struct reads {
        typename sweep_from<Operator, Real, Vector>::template reads<Lane> of;

        WATARI_INLINE void begin(const product_of& s, const typename Lane::where& at) {
            of.begin(s.sweep, at);
        }
        WATARI_INLINE void next(const product_of& s, const typename Lane::where& at) {
            of.next(s.sweep, at);
        }
        WATARI_INLINE bool inner() const { return of.inner(); }
        template <bool Walls>
        WATARI_INLINE void prepare(const product_of& s, const typename Lane::where& at) {
            of.template prepare<Walls>(s.sweep, at);
        }
        template <bool Walls>
        WATARI_INLINE result value(const product_of& s, unsigned p, unsigned n,
                                   const cell& c) const {
            const Real e = of.template value<Walls>(s.sweep, p, n, c);
            return {e, double(of.r.own[p][n]) * double(e)};
        }
    };
    template <class Write>
    WATARI_INLINE void write(const Write& at, const result (&v)[4], double (&products)[4]) const {
        at(sweep.to, {{v[0].e, v[1].e, v[2].e, v[3].e}});
        for (unsigned n = 0; n < 4; ++n) products[n] = v[n].product;
    }
};

template <class Operator, class Real>
constexpr auto sweep_of(const Operator& a, const les::level<Real>& l, Real weight, const Real* from,
                        Real* to) {
    return sweep_from<Operator, Real, in_array<Real>>{a, {from}, l.r, to, weight, l.flags};
}

/// A sweep from a computed vector: a CPU computes the vector once for a row and its four
/// neighbours.
template <class Operator, class Real, class Vector>
struct sweep_by_rows : sweep_from<Operator, Real, Vector> {
    les::grid grid;

    WATARI_CLONES void row_part(index k, index j, index first, index count) const {
        const Vector x = this->x;
        const auto up = static_cast<offset>(grid.plane()), along = static_cast<offset>(grid.row());
        Real here[same_path + 2], rows[4][same_path];
        const cell c{k, j, first, static_cast<index>(grid.at(k, j, first))},
            last{k, j, first + count - 1, c.at + count - 1};
        here[0] = x(c, 0, 0, -1, -1);
        x.fill(here + 1, c, count, 0, 0, 0);
        here[count + 1] = x(last, 0, 0, 1, 1);
        x.fill(rows[0], c, count, 0, -1, -along);
        x.fill(rows[1], c, count, 0, 1, along);
        x.fill(rows[2], c, count, -1, 0, -up);
        x.fill(rows[3], c, count, 1, 0, up);
        const in_rows<Real> known{here, {rows[0], rows[1], rows[2], rows[3]}, first};
        if (!this->a.has_walls(c.at, count)) return visit<false>(this->a, known, c, count);
        typename wide_flags<Real>::wide flags[same_path];
        visit<true>(this->a.in_row(c.at, count, flags), known, c, count);
    }
    template <bool Walls, class Own>
    WATARI_INLINE void visit(const Own& a, const in_rows<Real>& known, const cell& c,
                             index count) const {
        const sweep_from<Own, Real, in_rows<Real>> body{a,        known,        this->r,
                                                        this->to, this->weight, nullptr};
        WATARI_VECTORS
        for (index n = 0; n < count; ++n) visit_cell<Walls>(body, {c.k, c.j, c.i + n, c.at + n});
    }
    void row(index k, index j, index count) const {
        for (index i = 0; i < count; i += same_path)
            row_part(k, j, i, count - i < same_path ? count - i : same_path);
    }
};

template <class Operator, class Real>
constexpr auto two_sweeps_of(const Operator& a, const les::level<Real>& l) {
    using first = scaled<Operator, Real>;
    return sweep_by_rows<Operator, Real, first>{
        {a, first{a, l.r, Real(les::first_weight)}, l.r, l.e, Real(les::second_weight), l.flags},
        l.grid};
}

template <class Operator, class Real>
constexpr auto correct_sweep_of(const Operator& a, const les::level<Real>& l,
                                const les::level<Real>& coarse) {
    return sweep_by_rows<Operator, Real, prolonged<Real>>{
        {a, prolonged<Real>(l, coarse), l.r, l.scratch, Real(les::second_weight), l.flags}, l.grid};
}

/// weight r / diagonal: a sweep from zero.
template <class Operator, class Real>
struct scale_by_diagonal {
    Operator a;
    const Real* r;
    Real* to;
    Real weight;
    const std::uint8_t* flags = nullptr;

    template <bool>
    WATARI_INLINE Real value(const cell& c) const {
        return weight * (a.inverse(c.at) * r[c.at]);
    }
    WATARI_INLINE void put(const cell& c, Real value) const { to[c.at] = value; }
};

}  // namespace watari::WATARI_BACKEND
