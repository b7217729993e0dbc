/// 1 / sqrt(x) of a GPU, for rules.hpp: in half the time of a root and a quotient.
#pragma once

#include "watari/core/backend.hpp"

namespace watari::gpu {

WATARI_INLINE double inverse_root(double x) { return rsqrt(x); }

}  // namespace watari::gpu
