// The program's live managed memory; in a sampled run all its GPU memory is managed.
#pragma once

#include "held.hpp"

#include <cupti.h>
#include <vector>

namespace watari::attach::managed {

// The calls to subscribe to: allocations and releases.
std::vector<CUpti_CallbackId> calls();

void on_call(CUpti_CallbackId call, const CUpti_CallbackData& data);

managed_memory all();
std::size_t bytes();

}  // namespace watari::attach::managed
