/// Himeno's styles written in directives, loaded by cases/common/directive.hpp.
#pragma once

#include "watari/cases/common/directive.hpp"
#include "watari/cases/himeno/himeno.hpp"
#include "watari/cases/himeno/styles/directive.hpp"

namespace watari::himeno {

/// Runs one trial by a loaded style. On the CPU its code runs on libgomp's host device: for tests.
/// Throws unsupported, beyond_memory; error if the style did not run on the GPU.
measure::trial run_directive(const part& p, directive::function style);

}  // namespace watari::himeno
