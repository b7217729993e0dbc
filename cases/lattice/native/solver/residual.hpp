/// The residual |b - D x| / |b| of a completed solve, by other code than the solver's.
///
/// The solver computes its own residual with the kernels of its iterations, so an error in them may
/// stay hidden. Here the kernel `shared` applies D, in the type of the solution, and a plain loop
/// of the CPU adds up the difference in double. It costs two hops a trial, and the copies of two
/// vectors to the CPU.
#pragma once

#include "../problem/fields.hpp"
#include "matrix_operator.hpp"

#include <vector>

namespace watari::lattice {

/// One residual a system; all ranks call it. `y` has room for the vectors of all systems, in memory
/// of the processor.
template <class Real>
std::vector<double> plain_residuals(const parameters& p, const operands<Real>& of,
                                    const complex<Real>* b, const complex<Real>* x,
                                    complex<Real>* y);

}  // namespace watari::lattice
