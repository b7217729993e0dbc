/// A CPU has no loop by columns (climb.hpp): it computes a stage by rows.
#pragma once

#include "flow/flow.hpp"

namespace watari::cpu {

template <les::stage, class Real, class Body>
constexpr bool climb_stage(const les::grid&, const Body&, stream_t) {
    return false;
}
template <class Real, class Body>
constexpr bool climb_viscosity(const les::grid&, const Body&, stream_t) {
    return false;
}

}  // namespace watari::cpu
