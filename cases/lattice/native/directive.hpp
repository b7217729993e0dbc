/// The directive styles of the lattice, loaded by case/directive.hpp.
#pragma once

#include "lattice.hpp"
#include "styles/directives/directive.hpp"
#include "watari/case/directive.hpp"

namespace watari::lattice {

/// Runs one trial of a loaded style. On the CPU, libgomp's host device runs its code; tests use
/// this. Throws unsupported, beyond_memory; error if the style did not run on the GPU or does not
/// converge.
measure::trial run_directive(const parameters& p, directive::function style);

}  // namespace watari::lattice
