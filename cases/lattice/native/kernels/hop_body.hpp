/// The arithmetic of a hop at one site, or at one site per lane of a vector.
///
/// In Dirac's basis of the benchmark g_k = [[0, -i s_k], [i s_k, 0]] and g_4 = diag(1, 1, -1, -1),
/// so half of a spinor determines all of (1 -+ g) psi. With (u, l) the two upper and the two lower
/// spins
///
///     (1 -+ g_k)(u, l) = (v, -+i s_k v),  v = u +- i s_k l
///     (1 - g_4)(u, l) = (0, 2 l),  (1 + g_4)(u, l) = (2 u, 0)
///
/// so a direction needs one matrix times two colour vectors. F^-1 (u, l) = ((v + w)/2, (v - w)/2)
/// with v = F2^-1 (u + l), w = F1^-1 (u - l); memory holds the blocks times 1/2.
///
/// Bytes per site, in double: links 8 x 144 (18 real numbers each; 96 with 12), F^-1 576, a spinor
/// read and one written 384: 2112 (1728 with 12). Flops as the benchmark counts: hop 1320, F^-1
/// 576.
#pragma once

#include "../problem/matrix.hpp"
#include "watari/core/unrolled.hpp"

#include <cstddef>

namespace watari::WATARI_BACKEND {

template <class Number>
WATARI_INLINE Number times_i(const Number& a) {
    return {-a.im, a.re};
}

/// to += a b, in four fused steps.
template <class Number>
WATARI_INLINE void add_product(Number& to, const Number& a, const Number& b) {
    to.re += a.re * b.re;
    to.re -= a.im * b.im;
    to.im += a.re * b.im;
    to.im += a.im * b.re;
}

/// to += conj(a) b.
template <class Number>
WATARI_INLINE void add_conjugate_product(Number& to, const Number& a, const Number& b) {
    to.re += a.re * b.re;
    to.re += a.im * b.im;
    to.im += a.re * b.im;
    to.im -= a.im * b.re;
}

/// (re, im) += conj(u) v.
template <class Sum, class Number>
WATARI_INLINE void add_dot(Sum& re, Sum& im, const Number& u, const Number& v) {
    re += u.re * v.re + u.im * v.im;
    im += u.re * v.im - u.im * v.re;
}

/// Adds few_sums: <left, out>, |out|^2.
template <class Sum, class Number>
WATARI_INLINE void add_few_sums(Sum* sums, const Number& left, const Number& out) {
    add_dot(sums[0], sums[1], left, out);
    sums[2] += out.re * out.re + out.im * out.im;
}

/// Adds all_sums: few_sums, then <other, out> and <other, left>.
template <class Sum, class Number>
WATARI_INLINE void add_all_sums(Sum* sums, const Number& left, const Number& out,
                                const Number& other) {
    add_few_sums(sums, left, out);
    add_dot(sums[3], sums[4], other, out);
    add_dot(sums[5], sums[6], other, left);
}

/// Spin `s` of i s_k v, for colour c.
template <unsigned Direction, class Number>
WATARI_INLINE Number i_sigma(const Number (&v)[2][3], unsigned s, unsigned c) {
    if constexpr (Direction == 0) return times_i(v[1 - s][c]);
    if constexpr (Direction == 1) return s == 0 ? v[1][c] : -v[0][c];
    return s == 0 ? times_i(v[0][c]) : -times_i(v[1][c]);
}

/// v = the half spinor of (1 -+ g) psi of a neighbour.
template <unsigned Direction, bool Forward, class Number, class Neighbour>
WATARI_INLINE void project(const Neighbour& from, Number (&v)[2][3]) {
    if constexpr (Direction == 3) {
        WATARI_UNROLLED
        for (unsigned s = 0; s < 2; ++s) {
            WATARI_UNROLLED
            for (unsigned c = 0; c < 3; ++c) {
                const Number one = from.spinor((Forward ? 6 : 0) + 3 * s + c);
                v[s][c] = one + one;
            }
        }
    } else {
        Number lower[2][3];
        WATARI_UNROLLED
        for (unsigned s = 0; s < 2; ++s) {
            WATARI_UNROLLED
            for (unsigned c = 0; c < 3; ++c) {
                v[s][c] = from.spinor(3 * s + c);
                lower[s][c] = from.spinor(6 + 3 * s + c);
            }
        }
        WATARI_UNROLLED
        for (unsigned s = 0; s < 2; ++s) {
            WATARI_UNROLLED
            for (unsigned c = 0; c < 3; ++c) {
                const Number turned = i_sigma<Direction>(lower, s, c);
                v[s][c] = Forward ? v[s][c] + turned : v[s][c] - turned;
            }
        }
    }
}

/// g += U v for a forward neighbour, g += U^+ v for a backward one.
template <bool Forward, unsigned LinkElements, class Number, class Neighbour>
WATARI_INLINE void transport(const Neighbour& from, const Number (&v)[2][3], Number (&g)[2][3]) {
    Number link[3][3];
    WATARI_UNROLLED
    for (unsigned a = 0; a < LinkElements; ++a) link[a / 3][a % 3] = from.link(a);
    if constexpr (LinkElements == 6) complete(link);
    WATARI_UNROLLED
    for (unsigned s = 0; s < 2; ++s) {
        WATARI_UNROLLED
        for (unsigned i = 0; i < 3; ++i) {
            WATARI_UNROLLED
            for (unsigned j = 0; j < 3; ++j)
                Forward ? add_product(g[s][i], link[i][j], v[s][j])
                        : add_conjugate_product(g[s][i], link[j][i], v[s][j]);
        }
    }
}

/// Adds one neighbour's term to the sum of a site: spins 0 and 1 in `up`, 2 and 3 in `low`. At the
/// edge of a part the half spinor may come from another rank.
template <unsigned Direction, bool Forward, unsigned LinkElements, class Number, class Site>
WATARI_INLINE void add_neighbour(const Site& site, Number (&up)[2][3], Number (&low)[2][3]) {
    const auto from = site.template neighbour<Direction, Forward>();
    Number v[2][3], g[2][3]{};
    if constexpr (requires { site.template arrived<Direction, Forward>(v); }) {
        if (!site.template arrived<Direction, Forward>(v)) project<Direction, Forward>(from, v);
        if (Forward || !site.template beyond<Direction, Forward>())
            transport<Forward, LinkElements>(from, v, g);
        else
            for (unsigned a = 0; a < 6; ++a) g[a / 3][a % 3] = v[a / 3][a % 3];
    } else {
        project<Direction, Forward>(from, v);
        transport<Forward, LinkElements>(from, v, g);
    }
    WATARI_UNROLLED
    for (unsigned s = 0; s < 2; ++s) {
        WATARI_UNROLLED
        for (unsigned c = 0; c < 3; ++c) {
            if constexpr (Direction == 3) {
                Number& to = Forward ? low[s][c] : up[s][c];
                to = to + g[s][c];
            } else {
                const Number turned = i_sigma<Direction>(g, s, c);
                up[s][c] = up[s][c] + g[s][c];
                low[s][c] = Forward ? low[s][c] - turned : low[s][c] + turned;
            }
        }
    }
}

/// (M psi)(n).
template <unsigned LinkElements, class Number, class Site>
WATARI_INLINE void sum_neighbours(const Site& site, Number (&up)[2][3], Number (&low)[2][3]) {
    add_neighbour<0, true, LinkElements>(site, up, low);
    add_neighbour<0, false, LinkElements>(site, up, low);
    add_neighbour<1, true, LinkElements>(site, up, low);
    add_neighbour<1, false, LinkElements>(site, up, low);
    add_neighbour<2, true, LinkElements>(site, up, low);
    add_neighbour<2, false, LinkElements>(site, up, low);
    add_neighbour<3, true, LinkElements>(site, up, low);
    add_neighbour<3, false, LinkElements>(site, up, low);
}

/// y = B v with a Hermitian 6x6 block, stored as three numbers of two diagonal elements each, then
/// the elements below the diagonal by rows.
template <class Number, class Site>
WATARI_INLINE void multiply_block(const Site& site, unsigned first, const Number (&v)[6],
                                  Number (&y)[6]) {
    WATARI_UNROLLED
    for (unsigned d = 0; d < 3; ++d) {
        const Number two = site.clover(first + d);
        y[2 * d] = {two.re * v[2 * d].re, two.re * v[2 * d].im};
        y[2 * d + 1] = {two.im * v[2 * d + 1].re, two.im * v[2 * d + 1].im};
    }
    if constexpr (requires { site.round(y); }) site.round(y);
    WATARI_UNROLLED
    for (unsigned r = 1, a = 3; r < 6; ++r) {
        WATARI_UNROLLED
        for (unsigned c = 0; c < r; ++c, ++a) {
            const Number below = site.clover(first + a);
            add_product(y[r], below, v[c]);
            add_conjugate_product(y[c], below, v[r]);
        }
    }
}

/// (up, low) = F^-1 (up, low).
template <class Number, class Site>
WATARI_INLINE void multiply_clover(const Site& site, Number (&up)[2][3], Number (&low)[2][3]) {
    Number plus[6], minus[6], v[6], w[6];
    WATARI_UNROLLED
    for (unsigned a = 0; a < 6; ++a) {
        plus[a] = up[a / 3][a % 3] + low[a / 3][a % 3];
        minus[a] = up[a / 3][a % 3] - low[a / 3][a % 3];
    }
    multiply_block(site, 18, plus, v);
    multiply_block(site, 0, minus, w);
    WATARI_UNROLLED
    for (unsigned a = 0; a < 6; ++a) {
        up[a / 3][a % 3] = v[a] + w[a];
        low[a / 3][a % 3] = v[a] - w[a];
    }
}

}  // namespace watari::WATARI_BACKEND
