/// Functions that every style shares: the preparation, the solve, and a clock for the rest.
///
/// A sample is one step of BiCGStab: two applications of D and the vectors, until the host has read
/// the residual. A half step at which the solver ends is no sample. The first step is the phase
/// `first`; the others are `rest` if pages may migrate, otherwise `steady`. The processor computes
/// F^-1 before the solve, timed separately.
#pragma once

#include "../problem/fields.hpp"
#include "watari/case/stopwatch.hpp"
#include "watari/memory/kind.hpp"

#include <span>

namespace watari::lattice {

using cases::stopwatch;

/// Throws if the trial cannot run or has no room, sets the CPU's threads, and launches each kernel
/// once on a small lattice. `kinds`: the memory in which the style allocates all arrays.
void prepare(measure::trial& into, const parameters& p, std::span<const memory::kind> kinds);

/// Writes links and source on the CPU, which touches each of their pages first.
void initialise(measure::trial& into, const fields& f, const parameters& p);

/// Computes F^-1, then solves. `migrates`: pages may move during the solve. Throws error if the
/// solver does not converge.
void solve(measure::trial& into, const parameters& p, const fields& f, bool migrates);

/// Reads the solution on the CPU and records its norm.
void read_result(measure::trial& into, const parameters& p, const fields& f);

}  // namespace watari::lattice
