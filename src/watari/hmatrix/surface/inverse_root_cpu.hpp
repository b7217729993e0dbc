/// 1 / sqrt(x) of a CPU, for rules.hpp.
#pragma once

#include "watari/core/backend.hpp"

#include <cmath>

namespace watari::cpu {

WATARI_INLINE double inverse_root(double x) { return 1 / std::sqrt(x); }

}  // namespace watari::cpu
