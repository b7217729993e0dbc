/// The table of styles. Each style is a separate program in styles/ that writes out its memory
/// management.
#pragma once

#include "lattice.hpp"
#include "watari/case/style.hpp"

#include <span>

namespace watari::lattice {

using style = cases::style<parameters>;

/// All styles. A build without CUDA has only the programs of the CPU.
std::span<const style> styles();

}  // namespace watari::lattice
