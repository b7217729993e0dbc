/// The table of styles: each is a program of its own, in styles/, that manages its memory in one
/// style and spells it out.
#pragma once

#include "watari/cases/common/style.hpp"
#include "watari/cases/lattice/lattice.hpp"

#include <span>

namespace watari::lattice {

using style = cases::style<parameters>;

/// All styles; a build without CUDA has the programs of the CPU alone.
std::span<const style> styles();

measure::trial run_explicit(const parameters& p);
measure::trial run_pinned(const parameters& p);
measure::trial run_managed(const parameters& p);
measure::trial run_managed_prefetch(const parameters& p);
measure::trial run_system(const parameters& p);
measure::trial run_system_on_cpu(const parameters& p);
measure::trial run_directive(const parameters& p);  ///< those in shared objects, directive.hpp

}  // namespace watari::lattice
