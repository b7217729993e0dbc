/// A trial on several ranks: which part of the grid, which GPU and which halo each has.
#pragma once

#include "watari/cases/himeno/styles.hpp"

namespace watari::himeno {

/// One trial; called by all ranks. Throws usage_error for a split that is not the ranks' or is too
/// fine, unsupported (all ranks) for what the style, the machine or its MPI cannot do.
measure::trial run_on_ranks(const parameters& p, const style& row);

}  // namespace watari::himeno
