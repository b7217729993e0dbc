/// The residual |b - D x| / |b| of a solve that ended, apart from the solver.
///
/// The solver's own true residual comes from the kernels with which it iterated, which also compute
/// its sums. Here the kernel `shared` applies D, in the type of the solution, and a plain loop of
/// the CPU adds up the difference in double. Once a trial: two hops, and two vectors that are read
/// back.
#pragma once

#include "watari/cases/lattice/problem/fields.hpp"
#include "watari/cases/lattice/solver/matrix_operator.hpp"

#include <vector>

namespace watari::lattice {

/// One residual a system; all ranks call it. `y` has room for the vectors of all systems, in memory
/// of the processor.
template <class Real>
std::vector<double> plain_residuals(const parameters& p, const operands<Real>& of,
                                    const complex<Real>* b, const complex<Real>* x,
                                    complex<Real>* y);

}  // namespace watari::lattice
