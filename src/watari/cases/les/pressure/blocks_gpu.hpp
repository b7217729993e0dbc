/// A GPU does the steps of a V-cycle one after the other: see blocks_cpu.hpp.
#pragma once

#include "watari/cases/les/pressure/sweeps.hpp"

namespace watari::gpu {

template <class Real>
bool sweep_last(const les::level<Real>&, const les::level<Real>&, double*, stream_t) {
    return false;
}

template <class Real>
bool sweep_first(const les::level<Real>&, const les::level<Real>&, stream_t) {
    return false;
}

}  // namespace watari::gpu
