/// Matrices of any size whose product is known: test data, and the verification of every element.
///
///     A(i, l) = f(i) g(l)    B(l, j) = h(l) e(j)    C0(i, j) = u(i) v(j)
///     C(i, j) = alpha f(i) e(j) sum over l of g(l) h(l)  +  beta u(i) v(j)
///
/// f, e, u, v, g are integers of 1 to 3 with either sign, by hash of seed and index. h has g's
/// sign, so that the sum grows with every l: a tile left out, taken twice or in the wrong place is
/// detected. With integral alpha and beta every partial sum is an integer too, and C is exact in
/// any order of summation, as long as 9 (|alpha| sum(g h) + |beta|) stays below 2^24 (double:
/// 2^53): in single precision up to about k = 460,000 for alpha = 1. Beyond, or with other alpha
/// and beta, an element may be off by k/64 + 8 roundings: products of tiles are still exact, and
/// are scaled and added up. A missing tile exceeds this error: a tile of 128 up to k = 300,000, a
/// tile of 512 up to k = 700,000.
///
/// Bytes: fill writes each element once, wrong_elements reads it once; both on the CPU, by the
/// threads of core/backend.hpp.
#pragma once

#include "watari/gemm/schedule/shape.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace watari::gemm {

/// Elements [row, row + rows) x [column, column + columns) of a matrix.
struct region {
    std::size_t row, rows, column, columns;
};

class operands {
public:
    operands(shape size, precision type, std::uint64_t seed);

    /// Writes elements of A, B or C0 to `to`, row-major with a leading dimension in elements.
    void fill_rows(matrix which, const region& where, void* to, std::size_t leading) const;

    /// Returns the number of wrong elements of the product; NaN is always wrong.
    std::size_t wrong_elements(double alpha, double beta, const region& where, const void* c,
                               std::size_t leading) const;

    /// Largest error of an element of the product, as a fraction of |alpha f e| sum(g h) +
    /// |beta u v|; 0: exact.
    double tolerance(double alpha, double beta) const;

private:
    shape size_;
    precision type_;
    std::vector<float> f_, g_, h_, e_, u_, v_;
    double sum_ = 0;  ///< sum of g h
};

}  // namespace watari::gemm
