/// Four points of the stencil along k, for the directive styles: each array is read by one load of
/// 16 bytes, and all loads precede the arithmetic. Otherwise a thread waits for memory point by
/// point, and GCC's kernels reach 0.6 of this rate.
#pragma once

#include "directive.hpp"
#include "point.hpp"

#include <cstdint>
#include <initializer_list>

namespace watari::himeno::directive {

struct quad {
    float v0, v1, v2, v3;
};

/// A quad with its neighbours on both sides.
struct wide_quad {
    float left, v0, v1, v2, v3, right;
};

#if defined(__clang__)
using four_floats = float __attribute__((vector_size(16)));

inline quad load(const float* at) {
    const four_floats w = *reinterpret_cast<const four_floats*>(at);
    return {w[0], w[1], w[2], w[3]};
}

inline void store(float* at, const quad& q) {
    *reinterpret_cast<four_floats*>(at) = four_floats{q.v0, q.v1, q.v2, q.v3};
}
/// This compiler reads all before the arithmetic.
inline wide_quad load_wide(const float* at, bool) {
    const quad own = load(at);
    return {at[-1], own.v0, own.v1, own.v2, own.v3, at[4]};
}
#else
// for these GPUs GCC has vectors of two 64-bit words, but not of four floats
using two_words = unsigned long __attribute__((vector_size(16)));

inline float low(unsigned long word) {
    return __builtin_bit_cast(float, static_cast<unsigned>(word));
}
inline float high(unsigned long word) {
    return __builtin_bit_cast(float, static_cast<unsigned>(word >> 32));
}
inline unsigned long word_of(float first, float second) {
    return __builtin_bit_cast(unsigned, first) |
           static_cast<unsigned long>(__builtin_bit_cast(unsigned, second)) << 32;
}

/// Loads 16 bytes at once. Volatile: otherwise GCC splits the load into four.
inline quad load(const float* at) {
    const two_words w = *reinterpret_cast<const volatile two_words*>(at);
    return {low(w[0]), high(w[0]), low(w[1]), high(w[1])};
}

inline void store(float* at, const quad& q) {
    *reinterpret_cast<two_words*>(at) = two_words{word_of(q.v0, q.v1), word_of(q.v2, q.v3)};
}

/// `early`: the neighbours are also read before the arithmetic, which takes more registers.
inline wide_quad load_wide(const float* at, bool early) {
    const quad own = load(at);
    const volatile float* now = at;
    return {early ? now[-1] : at[-1], own.v0, own.v1, own.v2, own.v3, early ? now[4] : at[4]};
}
#endif

/// The coefficients at four points, and p around them: by plane (below, own, above) and row.
struct quad_surroundings {
    quad a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, wrk1, bnd;
    wide_quad own, above, below, next, previous;
    quad above_next, above_previous, below_next, below_previous;
};

/// Returns ss of one of the four points: `m` is the point, `l` and `r` its neighbours along k.
template <float wide_quad::*l, float wide_quad::*m, float wide_quad::*r, float quad::*q>
__attribute__((always_inline)) inline float residual(const quad_surroundings& n) {
    const float s0 =
        n.a0.*q * n.above.*m + n.a1.*q * n.next.*m + n.a2.*q * n.own.*r +
        n.b0.*q * (n.above_next.*q - n.above_previous.*q - n.below_next.*q + n.below_previous.*q) +
        n.b1.*q * (n.next.*r - n.previous.*r - n.next.*l + n.previous.*l) +
        n.b2.*q * (n.above.*r - n.below.*r - n.above.*l + n.below.*l) + n.c0.*q * n.below.*m +
        n.c1.*q * n.previous.*m + n.c2.*q * n.own.*l + n.wrk1.*q;
    return (rounded_product(s0, n.a3.*q) - n.own.*m) * n.bnd.*q;
}

/// Computes wrk2 from p at the four points from x on; the first of them is point k of a row of `ks`
/// points. Returns their part of gosa. The boundary keeps p's values, which wrk2 has already.
__attribute__((always_inline)) inline double advance(long x, long k, long ks, long plane, long row,
                                                     long points, const float* p, float* wrk2,
                                                     const float* a, const float* b, const float* c,
                                                     const float* wrk1, const float* bnd,
                                                     bool early) {
    const quad_surroundings n{.a0 = load(a + x),
                              .a1 = load(a + x + points),
                              .a2 = load(a + x + 2 * points),
                              .a3 = load(a + x + 3 * points),
                              .b0 = load(b + x),
                              .b1 = load(b + x + points),
                              .b2 = load(b + x + 2 * points),
                              .c0 = load(c + x),
                              .c1 = load(c + x + points),
                              .c2 = load(c + x + 2 * points),
                              .wrk1 = load(wrk1 + x),
                              .bnd = load(bnd + x),
                              .own = load_wide(p + x, early),
                              .above = load_wide(p + x + plane, early),
                              .below = load_wide(p + x - plane, early),
                              .next = load_wide(p + x + row, early),
                              .previous = load_wide(p + x - row, early),
                              .above_next = load(p + x + plane + row),
                              .above_previous = load(p + x + plane - row),
                              .below_next = load(p + x - plane + row),
                              .below_previous = load(p + x - plane - row)};
    using w = wide_quad;
    const float first = residual<&w::left, &w::v0, &w::v1, &quad::v0>(n);
    const float s1 = residual<&w::v0, &w::v1, &w::v2, &quad::v1>(n);
    const float s2 = residual<&w::v1, &w::v2, &w::v3, &quad::v2>(n);
    const float last = residual<&w::v2, &w::v3, &w::right, &quad::v3>(n);
    const float s0 = k > 0 ? first : 0, s3 = k + 4 < ks ? last : 0;
    store(wrk2 + x,
          {n.own.v0 + 0.8f * s0, n.own.v1 + 0.8f * s1, n.own.v2 + 0.8f * s2, n.own.v3 + 0.8f * s3});
    return static_cast<double>(s0 * s0) + s1 * s1 + s2 * s2 + s3 * s3;
}

/// Whether rows and arrays begin at multiples of 16 bytes.
inline bool in_quads(const request& r, std::initializer_list<const float*> arrays) {
    auto bits = static_cast<std::uintptr_t>(r.k) * sizeof(float);
    for (const float* array : arrays) bits |= reinterpret_cast<std::uintptr_t>(array);
    return bits % 16 == 0;
}

/// Strides, and the interior in pieces: quads, which include the ends of rows, or points.
struct shape {
    long row, plane, points;
    unsigned line, layer, pieces;  ///< pieces in a row, in a plane, in total
    bool quads;

    shape(const request& r, bool in_quads)
        : row(static_cast<long>(r.k)),
          plane(row * static_cast<long>(r.j)),
          points(plane * static_cast<long>(r.i)),
          line(static_cast<unsigned>(in_quads ? r.k / 4 : r.k - 2)),
          layer(static_cast<unsigned>(r.j - 2) * line),
          pieces(static_cast<unsigned>(r.i - 2) * layer),
          quads(in_quads) {}
};

}  // namespace watari::himeno::directive
