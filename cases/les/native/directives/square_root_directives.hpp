/// The square root of a CPU, for momentum.hpp.
#pragma once

#include "watari/core/backend.hpp"

#include <cmath>

namespace watari::cpu {

template <class Real>
WATARI_INLINE Real square_root(Real x) {
    return std::sqrt(x);
}

}  // namespace watari::cpu
