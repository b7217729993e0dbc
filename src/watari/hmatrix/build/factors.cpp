#include "watari/hmatrix/build/factors.hpp"

#include "watari/hmatrix/build/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace watari::hmatrix {

namespace {

/// Makes `vectors` orthonormal; a vector that depends on those before becomes 0. Returns R, upper
/// triangular, column by column: the old vector c is the sum over k of r[c * count + k] times the
/// new vector k.
std::vector<double> orthonormalise(std::vector<double>& vectors, std::size_t n, std::size_t count) {
    std::vector<double> r(count * count);
    for (std::size_t c = 0; c < count; ++c) {
        double* const own = vectors.data() + c * n;
        const double before = std::sqrt(dot_of(own, own, n));
        for (int pass = 0; pass < 2; ++pass)
            for (std::size_t k = 0; k < c; ++k) {
                const double* const other = vectors.data() + k * n;
                const double along = dot_of(other, own, n);
                r[c * count + k] += along;
                subtract(own, along, other, n);
            }
        const double left = std::sqrt(dot_of(own, own, n));
        const bool independent = left > 1e-15 * before;
        r[c * count + c] = independent ? left : 0;
        for (std::size_t i = 0; i < n; ++i) own[i] = independent ? own[i] / left : 0;
    }
    return r;
}

/// One-sided Jacobi (Hestenes 1958): W = (W J) J^T with orthogonal columns of W J. Both n x n,
/// column by column.
void jacobi(std::vector<double>& w, std::vector<double>& j, std::size_t n) {
    constexpr double small = 1e-15;
    bool rotated = true;
    for (int sweep = 0; rotated && sweep < 40; ++sweep) {
        rotated = false;
        for (std::size_t p = 0; p + 1 < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                double *wp = &w[p * n], *wq = &w[q * n], *jp = &j[p * n], *jq = &j[q * n];
                const double a = dot_of(wp, wp, n), b = dot_of(wq, wq, n), c = dot_of(wp, wq, n);
                if (std::abs(c) <= small * std::sqrt(a * b) || c == 0) continue;
                rotated = true;
                const double zeta = (b - a) / (2 * c);
                const double t =
                    std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
                const double cosine = 1 / std::sqrt(1 + t * t), sine = cosine * t;
                for (double* const pair[2] = {wp, jp}; double* const first : pair) {
                    double* const second = first == wp ? wq : jq;
                    for (std::size_t i = 0; i < n; ++i) {
                        const double x = first[i], y = second[i];
                        first[i] = cosine * x - sine * y;
                        second[i] = sine * x + cosine * y;
                    }
                }
            }
    }
}

/// to_c = sum over k of basis_k coefficients[c * count + k].
void combine(double* to, const std::vector<double>& basis, std::size_t n,
             const double* coefficients, std::size_t count) {
    std::fill(to, to + n, 0.0);
    subtract_all(to, coefficients, 1, basis.data(), count, n);
    for (std::size_t i = 0; i < n; ++i) to[i] = -to[i];
}

}  // namespace

factors recompressed(const factors& of, double tolerance) {
    const std::size_t k = of.rank;
    std::vector<double> q = of.u, p = of.v;
    const std::vector<double> r = orthonormalise(q, of.rows, k);
    const std::vector<double> s = orthonormalise(p, of.columns, k);
    std::vector<double> w(k * k), j(k * k);
    for (std::size_t b = 0; b < k; ++b) {
        for (std::size_t a = 0; a < k; ++a)
            for (std::size_t c = 0; c < k; ++c) w[b * k + a] += r[c * k + a] * s[c * k + b];
        j[b * k + b] = 1;
    }
    jacobi(w, j, k);
    std::vector<double> square(k);
    for (std::size_t c = 0; c < k; ++c) square[c] = dot_of(&w[c * k], &w[c * k], k);
    std::vector<std::size_t> order(k);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return square[a] > square[b]; });
    std::size_t rank = k;
    for (double tail = 0; rank > 1; --rank) {
        tail += square[order[rank - 1]];
        if (tail > tolerance * tolerance) break;
    }
    factors result{of.rows, of.columns, rank};
    result.u.resize(rank * of.rows);
    result.v.resize(rank * of.columns);
    for (std::size_t c = 0; c < rank; ++c) {
        combine(&result.u[c * of.rows], q, of.rows, &w[order[c] * k], k);
        combine(&result.v[c * of.columns], p, of.columns, &j[order[c] * k], k);
    }
    return result;
}

}  // namespace watari::hmatrix
