/// Styles written in directives: their shared objects are loaded on demand.
///
/// GCC cannot link OpenACC and OpenMP offloading into one object, and a machine may have neither.
/// So each language and each compiler of an application's styles is a shared object, such as
/// libwatari_<application>_omp_llvm.so. It lies beside the module of the application.
#pragma once

#include "watari/case/compiler.hpp"
#include "watari/case/directive_abi.hpp"
#include "watari/case/style.hpp"
#include "watari/core/loaded/shared_object.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"

#include <string>

namespace watari::cases {

/// The folder of the module or program that calls.
[[maybe_unused]] static std::string beside() {
    static const char here = 0;
    return folder_of(&here);
}

/// Returns the symbol of a style from the shared object in `folder`. Throws unsupported, naming the
/// compiler and the packages that provide it.
void* load_directive(const std::string& application, const style_facts& style, compiler by,
                     const std::string& folder);

/// Gives the GPU of `who` the stack that kernels of OpenMP by GCC need; nothing for other styles.
/// For 8 KiB a thread an H100 keeps 2.2 GB of its memory.
void give_stack(const style_facts& style, compiler by, processor who);

/// Throws unsupported if the compiler's runtime library detects no such GPU, error if the style ran
/// on the CPU instead.
void require_ran(const directive::answer& answer, const std::string& style, processor who);

/// Records the times outside the loop that the style has, and whether the style ran on the GPU.
void record(measure::trial& into, const directive::answer& answer);

}  // namespace watari::cases
