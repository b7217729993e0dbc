/// A trial on several ranks: assigns each its part of the grid, its GPU and its halo.
#pragma once

#include "styles.hpp"

namespace watari::himeno {

/// Runs one trial; called by all ranks. Throws usage_error if the split does not match the number
/// of ranks or is too fine, unsupported (all ranks) if style, machine or MPI cannot run it.
measure::trial run_on_ranks(const parameters& p, const style& row);

}  // namespace watari::himeno
