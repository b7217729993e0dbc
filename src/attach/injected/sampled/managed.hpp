// The program's live managed memory; in a sampled run all its GPU memory is managed.
#pragma once

#include "held.hpp"

#include <cupti.h>
#include <vector>

namespace watari::attach::managed {

// The calls to subscribe to: allocations and releases.
std::vector<CUpti_CallbackId> calls();

void on_call(CUpti_CallbackId call, const CUpti_CallbackData& data);

struct chosen {
    managed_memory memory;
    std::size_t left_out, left_bytes;  // other allocations, and their bytes
};

// The largest allocations, at most so many.
chosen largest(std::size_t most);

std::size_t bytes();  // of all

}  // namespace watari::attach::managed
