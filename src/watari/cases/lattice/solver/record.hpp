/// What a solve leaves in a trial.
#pragma once

#include "watari/cases/lattice/lattice.hpp"
#include "watari/krylov/problem.hpp"

namespace watari::lattice {

inline constexpr int hops_timed = 20;  ///< of which the rate is measured

/// The sum over all ranks.
double over_ranks(const parameters& p, double own);

/// How it ended. Throws error with the step where a system has not converged.
void record_solve(measure::trial& into, const krylov::reports& all);

/// The rate of one hop with F^-1, of which this rank took so long.
void record_hop(measure::trial& into, const parameters& p, double seconds);

/// Bytes, flops and phases of the samples: two matrices and what BiCGStab does to its vectors.
void summarise(measure::trial& into, const parameters& p, bool migrates);

}  // namespace watari::lattice
