// Detects the pages that kernels touch: before the first launches of each kernel, all managed
// memory is moved to the CPU, so that the kernel faults on every page that it touches.
#pragma once

#include "schedule.hpp"

#include <cupti.h>
#include <cstdint>
#include <optional>
#include <vector>

namespace watari::attach::evict {

// Sets the number of sampled launches of each kernel, and the seconds that sampling may take:
// evictions, sampled launches, measurements after them, and the return of the memory. Nothing is
// sampled after `until` (ns of CLOCK_MONOTONIC). 0 launches evict nothing. `only`: the first launch
// of each kernel is sampled, in this placement.
void set_launches(unsigned count, double seconds, std::uint64_t until,
                  std::optional<placement> only);

// The calls to subscribe to: allocations, releases and launches; none if nothing is evicted.
std::vector<CUpti_CallbackId> calls();

// Whether this thread is evicting: its calls are then not the program's.
bool is_evicting();

void on_call(CUpti_CallbackId call, const CUpti_CallbackData& data);

}  // namespace watari::attach::evict
