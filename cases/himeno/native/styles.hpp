/// The table of styles. Each style is a separate program in styles/, which manages its memory
/// explicitly in that style.
#pragma once

#include "himeno.hpp"
#include "watari/case/style.hpp"

#include <span>

namespace watari::himeno {

using style = cases::style<part>;

/// Returns all styles; a build without CUDA has only the programs of the CPU.
std::span<const style> styles();

measure::trial run_explicit(const part& p);
measure::trial run_explicit_struct(const part& p);
measure::trial run_managed_struct(const part& p);
measure::trial run_pinned(const part& p);
measure::trial run_managed(const part& p);
measure::trial run_managed_prefetch(const part& p);
measure::trial run_system(const part& p);
measure::trial run_system_prefetch(const part& p);
measure::trial run_system_on_cpu(const part& p);
measure::trial run_directive(const part& p);  ///< styles in shared objects, directive.hpp

}  // namespace watari::himeno
