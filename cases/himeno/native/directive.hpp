/// Himeno's styles written in directives, loaded by case/directive.hpp.
#pragma once

#include "himeno.hpp"
#include "styles/directives/directive.hpp"
#include "watari/case/directive.hpp"

namespace watari::himeno {

/// Runs one trial by a loaded style. On the CPU its code runs on libgomp's host device: for tests.
/// Throws unsupported, beyond_memory; error if the style did not run on the GPU.
measure::trial run_directive(const part& p, directive::function style);

}  // namespace watari::himeno
