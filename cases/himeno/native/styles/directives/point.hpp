/// One point of the stencil (himeno.hpp) for the directive styles. The including file marks this
/// code as GPU code in its own model: GCC needs the mark even for functions that it inlines.
#pragma once

namespace watari::himeno::directive {

/// Returns s * a, rounded before the subtraction, as in the other backends. The driver's compiler
/// would fuse product and difference. On the standard data, where both nearly cancel, gosa would
/// change by a thousandth. So the product is computed in double, and the empty asm statement
/// prevents GCC from computing it in float again. Clang asks the driver's compiler for each
/// rounding.
inline float rounded_product(float s, float a) {
#if defined(__clang__)
    return s * a;
#else
    double product = static_cast<double>(s) * a;
    asm("" : "+r"(product));
    return static_cast<float>(product);
#endif
}

/// Returns ss at point x. `plane` and `row` are the strides of i and j; a, b and c hold their
/// arrays one after the other, `points` apart.
inline float residual(long x, long plane, long row, long points, const float* p, const float* a,
                      const float* b, const float* c, const float* wrk1, const float* bnd) {
    const float s0 =
        a[x] * p[x + plane] + a[x + points] * p[x + row] + a[x + 2 * points] * p[x + 1] +
        b[x] * (p[x + plane + row] - p[x + plane - row] - p[x - plane + row] + p[x - plane - row]) +
        b[x + points] * (p[x + row + 1] - p[x - row + 1] - p[x + row - 1] + p[x - row - 1]) +
        b[x + 2 * points] *
            (p[x + plane + 1] - p[x - plane + 1] - p[x + plane - 1] + p[x - plane - 1]) +
        c[x] * p[x - plane] + c[x + points] * p[x - row] + c[x + 2 * points] * p[x - 1] + wrk1[x];
    return (rounded_product(s0, a[x + 3 * points]) - p[x]) * bnd[x];
}

}  // namespace watari::himeno::directive
