/// No level is computed together with others. For vcycle.cpp.
#pragma once

#include "pressure/sweeps.hpp"

#include <span>

namespace watari::cpu {

template <class Real>
constexpr std::size_t first_small(std::span<const les::level<Real>> levels) {
    return levels.size();
}
template <class Real>
constexpr void small_levels(std::span<const les::level<Real>>, stream_t) {}

}  // namespace watari::cpu
