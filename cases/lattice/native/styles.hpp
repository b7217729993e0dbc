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

measure::trial run_explicit(const parameters& p);
measure::trial run_pinned(const parameters& p);
measure::trial run_managed(const parameters& p);
measure::trial run_managed_prefetch(const parameters& p);
measure::trial run_system(const parameters& p);
measure::trial run_system_on_cpu(const parameters& p);
measure::trial run_directive(const parameters& p);  ///< styles in shared objects; see directive.hpp

}  // namespace watari::lattice
