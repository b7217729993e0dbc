/// No passes over blocks of rows: each step of a V-cycle is a loop of its own. For vcycle.cpp.
#pragma once

#include "pressure/sweeps.hpp"

namespace watari::cpu {

template <class Real>
constexpr bool sweep_first(const les::level<Real>&, const les::level<Real>&, stream_t) {
    return false;
}
template <class Real>
constexpr bool sweep_last(const les::level<Real>&, const les::level<Real>&, double*, stream_t) {
    return false;
}

}  // namespace watari::cpu
