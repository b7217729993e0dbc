/// The table of styles. Each style is a separate program in styles/, which shows how it manages its
/// memory.
#pragma once

#include "les.hpp"
#include "watari/case/style.hpp"

#include <span>

namespace watari::les {

using style = cases::style<parameters>;

/// Returns all styles; a build without CUDA has only the CPU's program.
std::span<const style> styles();

measure::trial run_explicit(const parameters& p);
measure::trial run_pinned(const parameters& p);
measure::trial run_managed(const parameters& p);
measure::trial run_managed_prefetch(const parameters& p);
measure::trial run_system(const parameters& p);
measure::trial run_system_on_cpu(const parameters& p);

}  // namespace watari::les
