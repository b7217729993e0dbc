/// The table of styles: each is a program of its own, in styles/, that manages its memory in one
/// style and spells it out. One of styles.cpp and styles_absent.cpp is built.
#pragma once

#include "watari/cases/common/style.hpp"
#include "watari/cases/himeno/himeno.hpp"

#include <span>

namespace watari::himeno {

using style = cases::style<part>;

/// All styles of this build.
std::span<const style> styles();

measure::trial run_explicit(const part& p);
measure::trial run_pinned(const part& p);
measure::trial run_managed(const part& p);
measure::trial run_managed_prefetch(const part& p);
measure::trial run_system(const part& p);
measure::trial run_system_on_cpu(const part& p);
measure::trial run_directive(const part& p);  ///< those in shared objects, directive.hpp

}  // namespace watari::himeno
