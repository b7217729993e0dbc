/// A trial on several ranks: the part of the lattice, the GPU and the halo of each rank.
#pragma once

#include "../styles.hpp"

namespace watari::lattice {

/// Runs one trial; called by all ranks. Throws usage_error if the split does not match the number
/// of ranks or does not divide the lattice into even parts; unsupported (all ranks) if the style,
/// the machine or its MPI lacks a capability.
measure::trial run_on_ranks(const parameters& p, const style& row);

}  // namespace watari::lattice
