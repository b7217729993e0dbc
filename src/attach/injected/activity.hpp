// CUPTI's buffers of activity records, and what becomes of them: records of format.hpp.
#pragma once

namespace watari::attach {

// Has CUPTI fill buffers of ours, with times of CLOCK_MONOTONIC, and enables what needs no context.
// False where CUPTI refuses.
bool start_activities();

// Faults and transfers of unified memory. Before a context exists CUPTI refuses this.
void enable_unified_memory();

// Takes what CUPTI has by now, at most every 100 ms: of a program that crashes, all before that is
// kept.
void take_some();

// Waits until the GPU is idle and flushes until nothing more comes. The number of flushes.
unsigned drain();

}  // namespace watari::attach
