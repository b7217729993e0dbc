/// A trial on several ranks: the part of the city, the GPU and the halo of each rank.
#pragma once

#include "../styles.hpp"

namespace watari::les {

/// Throws usage_error, with the nearest valid grid, if the shares of a split are not whole on all
/// divided levels. Reads `whole`, `spacing`, `split` and `processor` alone.
void require_shares(const parameters& p);

/// Runs one trial; all ranks call it. Throws usage_error if the split does not match the ranks or
/// the levels, unsupported (all ranks) if the style, the machine or MPI lacks a capability.
measure::trial run_on_ranks(const parameters& p, const style& row);

}  // namespace watari::les
