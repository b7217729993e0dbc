// Capabilities of this machine for storage: `cufile`, `io_uring`.
#pragma once

#include "watari/machine/capability.hpp"

#include <vector>

namespace watari::storage {

/// Loads the library of cuFile to check that it is installed, and makes and closes one io_uring.
std::vector<machine::capability> capabilities();

}  // namespace watari::storage
