/// Records the results of a solve in a trial.
#pragma once

#include "../lattice.hpp"
#include "watari/krylov/problem.hpp"

namespace watari::lattice {

inline constexpr int hops_timed = 20;  ///< hops over which their rate is measured

/// The sum over all ranks.
double over_ranks(const parameters& p, double own);

/// Records how the solve ended. Throws error with the step if a system has not converged.
void record_solve(measure::trial& into, const krylov::reports& all);

/// Records the rate of one hop with F^-1; `seconds` is the time of this rank.
void record_hop(measure::trial& into, const parameters& p, double seconds);

/// Records bytes, flops and phases of the samples: two applications of D and the vectors of
/// BiCGStab.
void summarise(measure::trial& into, const parameters& p, bool migrates);

}  // namespace watari::lattice
