/// The table of styles: each is a program of its own, in styles/, that manages the memory of the
/// tree in one style and spells it out.
#pragma once

#include "watari/cases/common/style.hpp"
#include "watari/cases/deep/deep.hpp"

#include <span>

namespace watari::deep {

using style = cases::style<parameters>;

/// All styles; a build without CUDA has the program of the CPU alone.
std::span<const style> styles();

measure::trial run_explicit(const parameters& p);
measure::trial run_packed(const parameters& p);
measure::trial run_managed(const parameters& p);
measure::trial run_system(const parameters& p);
measure::trial run_system_on_cpu(const parameters& p);

}  // namespace watari::deep
