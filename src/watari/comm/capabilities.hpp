// Capabilities of this machine for communication between ranks: `mpi`, `cuda-aware-mpi`.
#pragma once

#include "watari/machine/capability.hpp"

#include <vector>

namespace watari::comm {

/// Looks for a launcher on PATH, the MPI library and, by its own tools, whether it takes GPU
/// pointers. Starts `ompi_info` or `mpichversion` where there is one (up to a second).
std::vector<machine::capability> capabilities();

}  // namespace watari::comm
