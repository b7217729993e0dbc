// The run that shows what kernels touch: before the first launches of each kernel, all managed
// memory goes to the CPU, so that the kernel faults on every page that it touches.
#pragma once

#include <cupti.h>
#include <vector>

namespace watari::attach::evict {

// Launches of each kernel to evict before, and the seconds that this may take: evictions, sampled
// launches, what is looked at behind them, and the way back of the memory. 0 launches evict
// nothing.
void set_launches(unsigned count, double seconds);

// The calls that it has to see: allocations, releases and launches; none where it evicts nothing.
std::vector<CUpti_CallbackId> calls();

// Whether this thread is evicting: what it calls is not the program's.
bool is_evicting();

void on_call(CUpti_CallbackId call, const CUpti_CallbackData& data);

}  // namespace watari::attach::evict
