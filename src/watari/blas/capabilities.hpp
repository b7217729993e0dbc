// Capabilities of this machine for products of matrices: `openblas`, `cublas`.
#pragma once

#include "watari/machine/capability.hpp"

#include <vector>

namespace watari::blas {

/// Loads both libraries (tens of milliseconds); see set_numpy_folder in blas.hpp.
std::vector<machine::capability> capabilities();

}  // namespace watari::blas
