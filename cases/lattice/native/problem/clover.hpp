/// F at a site, its inverse and log det. For files that both backends compile.
#pragma once

#include "fields.hpp"
#include "matrix.hpp"
#include "random.hpp"

#include <cmath>

namespace watari::WATARI_BACKEND {

/// Links with 6 or 9 stored elements, by points of the whole lattice. Links of other ranks are
/// drawn again: ranks do not send links.
template <class Real>
struct stored_links {
    lattice::geometry where;
    unsigned elements;
    const complex<Real>* data;

    /// U of a direction at a point of the lattice.
    WATARI_KERNEL matrix at(unsigned direction, const lattice::point& in_whole) const {
        const lattice::point p = lattice::in_part(where, in_whole);
        if (!lattice::has(where.size, p))
            return drawn_link(where.all(), in_whole.parity(), direction, in_whole);
        const std::size_t half = where.size.half();
        const complex<Real>* const of = data + (p.parity() * 4 + direction) * half * elements;
        const unsigned site = lattice::number_of(where.size, p);
        matrix u;
        for (unsigned a = 0; a < elements; ++a)
            u.e[a / 3][a % 3] = widen(of[where.element(elements, site, a)]);
        if (elements == 6) complete(u.e);
        return u;
    }
    WATARI_KERNEL lattice::point step(const lattice::point& p, unsigned direction,
                                      bool forward) const {
        return lattice::moved(where.all(), p, direction, forward);
    }
    /// The product of links around a square from p: a step along `a`, one along `b`, and back.
    [[gnu::noinline]] WATARI_KERNEL matrix leaf(lattice::point p, unsigned a, bool a_forward,
                                                unsigned b, bool b_forward) const {
        const unsigned directions[] = {a, b, a, b};
        const bool ways[] = {a_forward, b_forward, !a_forward, !b_forward};
        matrix all{};
        for (int i = 0; i < 3; ++i) all.e[i][i] = 1;
        for (int i = 0; i < 4; ++i) {
            const lattice::point next = step(p, directions[i], ways[i]);
            all = product(all, ways[i] ? at(directions[i], p) : adjoint(at(directions[i], next)));
            p = next;
        }
        return all;
    }
    /// F_ab = (Q - Q^+) / (8 i), Q the sum of four leaves, all counter-clockwise.
    WATARI_KERNEL matrix field_strength(const lattice::point& p, unsigned a, unsigned b) const {
        matrix q = leaf(p, a, true, b, true);
        q = sum(q, leaf(p, b, true, a, false));
        q = sum(q, leaf(p, a, false, b, false));
        q = sum(q, leaf(p, b, false, a, true));
        matrix f;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                f.e[i][j] = (q.e[i][j] - conjugate(q.e[j][i])) * complex<double>(0, -0.125);
        return f;
    }
};

/// A Hermitian matrix on (two spins) x colour.
struct block {
    complex<double> e[6][6];
};

/// 1 - k (s_1 g[0] + s_2 g[1] + s_3 g[2]).
WATARI_KERNEL inline block block_of(const matrix (&g)[3], double k) {
    block b{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const complex<double> one(i == j ? 1 : 0), kk(k),
                i_g = g[1].e[i][j] * complex<double>(0, 1);
            b.e[i][j] = one - kk * g[2].e[i][j];
            b.e[3 + i][3 + j] = one + kk * g[2].e[i][j];
            b.e[i][3 + j] = -(kk * (g[0].e[i][j] - i_g));
            b.e[3 + i][j] = -(kk * (g[0].e[i][j] + i_g));
        }
    return b;
}

/// The inverse of a positive definite block by L D L^+, and the logarithm of its determinant.
[[gnu::noinline]] WATARI_KERNEL inline block inverse(block a, double& log_determinant) {
    for (int j = 0; j < 6; ++j) {  // L below the diagonal, D on it
        for (int k = 0; k < j; ++k) a.e[j][j].re -= squared_size(a.e[j][k]) * a.e[k][k].re;
        log_determinant += log(a.e[j][j].re);
        for (int i = j + 1; i < 6; ++i) {
            for (int k = 0; k < j; ++k)
                a.e[i][j] -= a.e[i][k] * conjugate(a.e[j][k]) * complex<double>(a.e[k][k].re);
            a.e[i][j] = a.e[i][j] * complex<double>(1 / a.e[j][j].re);
        }
    }
    block result{};
    for (int column = 0; column < 6; ++column) {
        complex<double> v[6]{};
        v[column] = 1;
        for (int i = column + 1; i < 6; ++i)
            for (int k = column; k < i; ++k) v[i] -= a.e[i][k] * v[k];
        for (int i = 0; i < 6; ++i) v[i] = v[i] * complex<double>(1 / a.e[i][i].re);
        for (int i = 5; i >= 0; --i)
            for (int k = i + 1; k < 6; ++k) v[i] -= conjugate(a.e[k][i]) * v[k];
        for (int i = 0; i < 6; ++i) result.e[i][column] = v[i];
    }
    return result;
}

/// Stores F^-1 at a point as its two blocks times 1/2, as hop_body.hpp reads them. Returns
/// log det F.
WATARI_KERNEL inline double make_clover_at(const lattice::point& p, const auto& links,
                                           complex<double> (&to)[lattice::packed]) {
    matrix f[6];  // 12, 13, 14, 23, 24, 34
    for (unsigned a = 0, n = 0; a < 4; ++a)
        for (unsigned b = a + 1; b < 4; ++b) f[n++] = links.field_strength(p, a, b);
    matrix g[2][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const auto e = [&](int n) { return f[n].e[i][j]; };
            g[0][0].e[i][j] = e(2) - e(3);     // F14 - F23
            g[0][1].e[i][j] = e(1) + e(4);     // F13 + F24
            g[0][2].e[i][j] = e(5) - e(0);     // F34 - F12
            g[1][0].e[i][j] = -(e(2) + e(3));  // -(F14 + F23)
            g[1][1].e[i][j] = e(1) - e(4);     // F13 - F24
            g[1][2].e[i][j] = -(e(5) + e(0));  // -(F34 + F12)
        }
    double log_determinant = 0;
    for (int which = 0; which < 2; ++which) {
        const block b = inverse(block_of(g[which], lattice::csw * lattice::kappa), log_determinant);
        complex<double>* next = to + 18 * which;
        for (int d = 0; d < 6; d += 2) *next++ = {0.5 * b.e[d][d].re, 0.5 * b.e[d + 1][d + 1].re};
        for (int r = 1; r < 6; ++r)
            for (int c = 0; c < r; ++c) *next++ = b.e[r][c] * complex<double>(0.5);
    }
    return log_determinant;
}

}  // namespace watari::WATARI_BACKEND
