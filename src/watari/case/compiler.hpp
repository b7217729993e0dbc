/// The compilers of styles in directives: each makes a shared object of its own (directive.hpp).
#pragma once

#include "watari/core/members.hpp"

namespace watari::cases {

enum class compiler { gcc, llvm, nvhpc };
inline constexpr word<compiler> compilers[] = {
    {"gcc", compiler::gcc}, {"llvm", compiler::llvm}, {"nvhpc", compiler::nvhpc}};

}  // namespace watari::cases
