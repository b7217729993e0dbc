/// Operations on vectors of a few hundred elements, by the processor's vectors; the build of leaves
/// consists of them.
#pragma once

#include <cstddef>

namespace watari::hmatrix {

/// The sum of a_i b_i, in 8 lanes that step by 8; the lanes are then added up by halves.
double dot_of(const double* a, const double* b, std::size_t n);

/// from_i -= factor what_i.
void subtract(double* from, double factor, const double* what, std::size_t n);

/// to_i -= sum over r of factors[r * stride] vectors[r * n + i], for i < n.
void subtract_all(double* to, const double* factors, std::size_t stride, const double* vectors,
                  std::size_t count, std::size_t n);

}  // namespace watari::hmatrix
