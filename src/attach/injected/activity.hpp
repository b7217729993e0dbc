// Converts CUPTI's buffers of activity records to records of format.hpp.
#pragma once

#include <cupti.h>
#include <cstdint>

namespace watari::attach {

// Makes CUPTI fill this library's buffers, with times of CLOCK_MONOTONIC, and enables the
// activities that need no context: all, or kernels alone. Returns false if CUPTI refuses.
bool start_activities(bool kernels_alone);

// Enables faults and transfers of unified memory. CUPTI refuses this before a context exists.
void enable_unified_memory(CUcontext context);

// Whether CUPTI records faults and transfers of unified memory from now on. Each record delays the
// fault: kernels that fault take 1.3 to 3 times as long while they are recorded.
void record_unified_memory(bool is_on);

// Flushes the records that CUPTI has so far, at most every 100 ms: they survive a crash.
void take_some();

// Returns the ns that `take_some` took in the program's threads so far.
std::uint64_t taking();

// Flushes until no more records arrive; returns the number of flushes.
unsigned drain();

}  // namespace watari::attach
