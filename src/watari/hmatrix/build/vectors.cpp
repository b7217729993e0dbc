#include "watari/hmatrix/build/vectors.hpp"

#include "watari/core/backend.hpp"

namespace watari::hmatrix {

WATARI_CLONES double dot_of(const double* a, const double* b, std::size_t n) {
    constexpr std::size_t lanes = 8;
    double lane[lanes]{};
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (std::size_t l = 0; l < lanes; ++l) lane[l] += a[i + l] * b[i + l];
    for (std::size_t l = 0; i + l < n; ++l) lane[l] += a[i + l] * b[i + l];
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
        for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
    return lane[0];
}

WATARI_CLONES void subtract(double* from, double factor, const double* what, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) from[i] -= factor * what[i];
}

WATARI_CLONES void subtract_all(double* to, const double* factors, std::size_t stride,
                                const double* vectors, std::size_t count, std::size_t n) {
    std::size_t r = 0;
    for (; r + 4 <= count; r += 4) {  // to_i is read and written once for four
        const double f[] = {factors[r * stride], factors[(r + 1) * stride],
                            factors[(r + 2) * stride], factors[(r + 3) * stride]};
        const double* const v = vectors + r * n;
        for (std::size_t i = 0; i < n; ++i)
            to[i] -= (f[0] * v[i] + f[1] * v[n + i]) + (f[2] * v[2 * n + i] + f[3] * v[3 * n + i]);
    }
    for (; r < count; ++r)
        for (std::size_t i = 0; i < n; ++i) to[i] -= factors[r * stride] * vectors[r * n + i];
}

}  // namespace watari::hmatrix
