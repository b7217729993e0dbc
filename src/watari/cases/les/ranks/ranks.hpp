/// A trial on several ranks: which part of the city, which GPU and which halo each has.
#pragma once

#include "watari/cases/les/styles.hpp"

namespace watari::les {

/// Throws usage_error, with the nearest valid grid, for a split that the levels do not divide.
/// Looks at `whole`, `spacing` and `split` alone.
void require_shares(const parameters& p);

/// One trial; called by all ranks. Throws usage_error for a split that is not the ranks' or that
/// the levels do not divide, unsupported (all ranks) for what style, machine or MPI cannot do.
measure::trial run_on_ranks(const parameters& p, const style& row);

}  // namespace watari::les
