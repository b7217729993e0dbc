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

}  // namespace watari::himeno
