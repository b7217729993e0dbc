/// The restriction of a V-cycle, as the body of a loop.
#pragma once

#include "operator.hpp"
#include "vcycle.hpp"
#include "vectors.hpp"

namespace watari::WATARI_BACKEND {

/// Mean of r - A e over the children of a coarse cell. All: every axis was halved.
template <class Operator, class Real, bool All>
struct restriction {
    Operator a;
    les::grid fine, coarse;
    unsigned halved[3];
    const Real *r, *e;
    Real* to;
    Real share;
    const std::uint8_t* flags = nullptr;

    template <bool>
    WATARI_INLINE void operator()(const cell& c) const {
        Real sum = 0;  // over x last: a CPU computes two columns at once
        const unsigned hx = All ? 1 : halved[0], hy = All ? 1 : halved[1], hz = All ? 1 : halved[2];
        for (index x = 0; x <= hx; ++x) {
            Real column = 0;
            for (index z = 0; z <= hz; ++z)
                for (index y = 0; y <= hy; ++y) {
                    const index k = (c.k << hz) + z, j = (c.j << hy) + y, i = (c.i << hx) + x;
                    column += rest<true>(cell{k, j, i, static_cast<index>(fine.at(k, j, i))});
                }
            sum += column;
        }
        to[coarse.at(c.k, c.j + offset[0], c.i + offset[1])] = share * sum;
    }
    template <bool Walls>
    WATARI_INLINE Real rest(const cell& child) const {
        return r[child.at] - a.template apply<Walls>(in_array<Real>{e}, child);
    }
    template <bool Walls>
    WATARI_INLINE void add_row(Real* column, const cell& c, index count) const {
        WATARI_VECTORS
        for (index n = 0; n < count; ++n)
            column[n] += rest<Walls>(cell{c.k, c.j, c.i + n, c.at + n});
    }
    /// Computes cells first to first + count of row (k, j), two columns at once.
    WATARI_CLONES void row_part(index k, index j, index first, index count) const {
        const restriction own = *this;  // in registers: a store to column cannot change it
        Real column[same_path];
        for (index n = 0; n < 2 * count; ++n) column[n] = 0;
        for (index z = 2 * k; z < 2 * k + 2; ++z)
            for (index y = 2 * j; y < 2 * j + 2; ++y) {
                const cell c{z, y, 2 * first, static_cast<index>(fine.at(z, y, 2 * first))};
                own.a.has_walls(c.at, 2 * count)
                    ? own.template add_row<true>(column, c, 2 * count)
                    : own.template add_row<false>(column, c, 2 * count);
            }
        Real* const out = to + coarse.at(k, j + offset[0], first + offset[1]);
        for (index n = 0; n < count; ++n) out[n] = own.share * (column[2 * n] + column[2 * n + 1]);
    }
    /// For packs of a GPU: a lane has two coarse cells.
    template <class Lane>
    requires All struct blocks {
        typename Lane::template star<Real> e[2];  ///< of the two rows
        typename Lane::template own<Real> r[2];
        typename Operator::template reads<Lane> a[2];

        WATARI_INLINE void begin(const restriction& b, const typename Lane::where (&at)[2]) {
            for (unsigned y = 0; y < 2; ++y) a[y].begin(b.a, at[y]), e[y].begin(b.e, at[y]);
        }
        WATARI_INLINE void next(const restriction& b, const typename Lane::where (&at)[2]) {
            for (unsigned y = 0; y < 2; ++y) {
                a[y].next(b.a, at[y]);
                e[y].go_up(b.e, at[y]);
                r[y].next(b.r, at[y]);
            }
            for (unsigned y = 0; y < 2; ++y) e[y].ends(b.e, at[y]);
            e[0].load_low(b.e, at[0]);
            e[1].load_high(b.e, at[1]);
            for (unsigned p = 0; p < 2; ++p)
                e[0].high[p] = e[1].plane[p + 1], e[1].low[p] = e[0].plane[p + 1];
        }
        WATARI_INLINE bool inner() const { return a[0].inner() && a[1].inner(); }
        template <bool Walls>
        WATARI_INLINE Real value(const restriction& b, unsigned first, const cell& c) const {
            Real sum = 0;
            for (unsigned n = first; n < first + 2; ++n) {
                Real column = 0;
                for (unsigned z = 0; z < 2; ++z)
                    for (unsigned y = 0; y < 2; ++y) {
                        const typename Lane::template vector<Real> x{e[y], z, n};
                        column += r[y].own[z][n] - a[y].of(b.a, z, n).template apply<Walls>(x, c);
                    }
                sum += column;
            }
            return b.share * sum;
        }
    };
    void row(index k, index j, index count) const requires All {
        constexpr index most = same_path / 2;
        for (index i = 0; i < count; i += most)
            row_part(k, j, i, count - i < most ? count - i : most);
    }
    std::size_t offset[2];  ///< of the part in a coarse grid that every rank has whole, y and x
};

template <bool All, class Operator, class Real>
constexpr auto restriction_of(const Operator& a, const les::level<Real>& l,
                              const les::level<Real>& coarse, std::size_t y, std::size_t x) {
    const unsigned h[3] = {coarse.halved[0], coarse.halved[1], coarse.halved[2]};
    return restriction<Operator, Real, All>{
        a,       l.grid, coarse.grid, {h[0], h[1], h[2]},
        l.r,     l.e,    coarse.r,    Real(1) / Real((1 + h[0]) * (1 + h[1]) * (1 + h[2])),
        nullptr, {y, x}};
}

}  // namespace watari::WATARI_BACKEND
