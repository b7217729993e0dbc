/// The lattice's styles in directives, by cases/common/directive.hpp.
#pragma once

#include "watari/cases/common/directive.hpp"
#include "watari/cases/lattice/lattice.hpp"
#include "watari/cases/lattice/styles/directive.hpp"

namespace watari::lattice {

/// One trial by a loaded style. On the CPU its code runs by libgomp's host device: for tests.
/// Throws unsupported, beyond_memory; error where the style did not run on the GPU, or does not
/// converge.
measure::trial run_directive(const parameters& p, directive::function style);

}  // namespace watari::lattice
