/// Himeno's styles in directives, by cases/common/directive.hpp.
#pragma once

#include "watari/cases/common/directive.hpp"
#include "watari/cases/himeno/himeno.hpp"
#include "watari/cases/himeno/styles/directive.hpp"

namespace watari::himeno {

/// One trial by a loaded style. On the CPU its code runs by libgomp's host device: for tests.
/// Throws unsupported, beyond_memory; error where the style did not run on the GPU.
measure::trial run_directive(const part& p, directive::function style);

}  // namespace watari::himeno
