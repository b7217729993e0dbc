// Capabilities of this machine for communication between ranks: `mpi`, `cuda-aware-mpi`.
#pragma once

#include "watari/machine/capability.hpp"

#include <vector>

namespace watari::comm {

/// Looks for a launcher on PATH, the MPI library, and whether it takes GPU pointers. A library that
/// does not say so itself is asked by `ompi_info` or `mpichversion` (up to a second).
std::vector<machine::capability> capabilities();

}  // namespace watari::comm
