/// The styles of les written in directives, loaded by case/directive.hpp.
#pragma once

#include "les.hpp"
#include "styles/directives/directive.hpp"

namespace watari::les {

/// Runs one trial by a loaded style. On the CPU its code runs on the compiler's host device: for
/// tests. Throws unsupported, beyond_memory; error if the style did not run on the GPU.
measure::trial run_directive(const parameters& p, directive::function style);

}  // namespace watari::les
