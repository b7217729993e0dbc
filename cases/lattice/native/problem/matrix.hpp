/// 3x3 complex matrices, as setup needs them. For files that both backends compile.
#pragma once

#include "watari/core/backend.hpp"
#include "watari/core/complex.hpp"

#include <cstddef>

namespace watari::WATARI_BACKEND {

struct matrix {
    complex<double> e[3][3];
};

WATARI_KERNEL inline matrix product(const matrix& a, const matrix& b) {
    matrix c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.e[i][j] = a.e[i][0] * b.e[0][j] + a.e[i][1] * b.e[1][j] + a.e[i][2] * b.e[2][j];
    return c;
}

WATARI_KERNEL inline matrix adjoint(const matrix& a) {
    matrix c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) c.e[i][j] = conjugate(a.e[j][i]);
    return c;
}

WATARI_KERNEL inline matrix sum(const matrix& a, const matrix& b) {
    matrix c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) c.e[i][j] = a.e[i][j] + b.e[i][j];
    return c;
}

/// exp(a) by its series up to a^18. For |a| up to 1.2, more than any link has, the remainder is
/// below rounding.
WATARI_KERNEL inline matrix exponential(const matrix& a) {
    matrix result{};
    for (int i = 0; i < 3; ++i) result.e[i][i] = 1;
    for (int n = 18; n > 0; --n) {
        result = product(a, result);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) result.e[i][j] = result.e[i][j] * (1.0 / n);
            result.e[i][i] += 1;
        }
    }
    return result;
}

/// The third row of a unitary matrix of determinant 1 from the others.
template <class Number>
WATARI_KERNEL void complete(Number (&e)[3][3]) {
    for (int j = 0; j < 3; ++j) {
        const int k = (j + 1) % 3, l = (j + 2) % 3;
        const Number c = e[0][k] * e[1][l] - e[0][l] * e[1][k];
        e[2][j] = {c.re, -c.im};
    }
}

}  // namespace watari::WATARI_BACKEND
