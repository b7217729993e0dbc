/// Styles written in directives: their shared objects are loaded when asked for.
///
/// GCC cannot link OpenACC and OpenMP offloading in one, and a machine may have neither: so each
/// model is a shared object, which lies beside the Python module (or where the loader looks).
#pragma once

#include "watari/cases/himeno/himeno.hpp"
#include "watari/cases/himeno/styles/directive.hpp"

#include <string>

namespace watari::himeno {

/// The function of a style, from the shared object in `folder`; by default that of this module.
/// Throws unsupported with the packages that bring it.
directive::function load_directive(const std::string& style, const std::string& folder = "");

/// One trial by a loaded style. On the CPU its code runs by libgomp's host device: for tests.
/// Throws unsupported, beyond_memory; error where the style did not run on the GPU.
measure::trial run_directive(const part& p, directive::function style);

}  // namespace watari::himeno
