/// A trial on several ranks: which part of the lattice, which GPU and which halo each has.
#pragma once

#include "watari/cases/lattice/styles.hpp"

namespace watari::lattice {

/// One trial; called by all ranks. Throws usage_error for a split that is not the ranks' or does
/// not divide the lattice into even parts, unsupported (all ranks) for what the style, the machine
/// or its MPI cannot do.
measure::trial run_on_ranks(const parameters& p, const style& row);

}  // namespace watari::lattice
