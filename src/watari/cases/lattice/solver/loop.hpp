/// What every style shares: what is done before, the solve, the clock around the rest.
///
/// A sample is one step of BiCGStab: two matrices and the vectors, until the host has seen the
/// residual. A half step at which the solver ends is no sample. The first step is the phase
/// `first`; where pages may migrate the others are `rest`, elsewhere `steady`. F^-1 is made before,
/// by the processor, and timed apart.
#pragma once

#include "watari/cases/common/stopwatch.hpp"
#include "watari/cases/lattice/problem/fields.hpp"
#include "watari/memory/kind.hpp"

#include <span>

namespace watari::lattice {

using cases::stopwatch;

/// Refuses what cannot run or has no room, sets the CPU's threads, and launches each kernel once on
/// a small lattice. `kinds`: the memory that the style takes all arrays of.
void prepare(measure::trial& into, const parameters& p, std::span<const memory::kind> kinds);

/// Writes links and source with the CPU: it touches every page of them first.
void initialise(measure::trial& into, const fields& f, const parameters& p);

/// Makes F^-1, then solves. `migrates`: pages may move while it runs. Throws error where the solver
/// does not converge.
void solve(measure::trial& into, const parameters& p, const fields& f, bool migrates);

/// The CPU reads the solution: its norm goes on record.
void read_result(measure::trial& into, const parameters& p, const fields& f);

}  // namespace watari::lattice
