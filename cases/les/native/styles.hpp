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

}  // namespace watari::les
