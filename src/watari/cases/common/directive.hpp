/// Styles written in directives: their shared objects are loaded when asked for.
///
/// GCC cannot link OpenACC and OpenMP offloading in one, and a machine may have neither: so each
/// model of an application is a shared object, libwatari_<application>_acc.so or _omp.so, which
/// lies beside the Python module (or where the loader looks).
#pragma once

#include "watari/cases/common/directive_abi.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"

#include <string>

namespace watari::cases {

/// The symbol of a style, from the shared object in `folder`; by default that of this module.
/// Throws unsupported with the packages that bring it.
void* load_directive(const std::string& application, const std::string& style,
                     const std::string& folder = "");

/// Throws unsupported where libgomp finds no such GPU, error where the style ran on the CPU
/// instead.
void require_ran(const directive::answer& answer, const std::string& style, processor who);

/// Its times outside the loop.
void record(measure::trial& into, const directive::answer& answer);

}  // namespace watari::cases
