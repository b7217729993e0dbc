// A driver without a GPU, for the tests of libraries that enter other people's programs: a
// libcuda.so.1 whose GPU memory is memory of this process, and whose kernels are functions of the
// CPU (kernels.cpp), chosen by name. It is exact in the properties that the tests need: counts,
// sizes, limits, the kind of each pointer, and the order in which functions are looked up. Times
// mean nothing, unless timeline.hpp is told how long kernels and copies take. queue.hpp says when
// effects are seen, and ../README.md lists the variables.
//
// cuInit honours CUDA_INJECTION64_PATH as the driver does. Only the tests use this library.
#pragma once

#include <cstddef>
#include <cstdint>

#define FAKE extern "C" __attribute__((visibility("default")))

namespace fake {

using result = int;
using device_pointer = unsigned long long;

constexpr result success = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3,
                 deinitialized = 4, no_device = 100, invalid_device = 101, invalid_image = 200,
                 invalid_context = 201, invalid_handle = 400, not_found = 500, not_ready = 600,
                 launch_failed = 719, already_registered = 712, not_registered = 713,
                 illegal_state = 401, not_supported = 801, capture_unsupported = 900;

// Counted from the start of a process; in the file under these names. read_mostly: the largest
// number of bytes of pages that were read-mostly at once, if an observer is set.
struct counts {
    long long allocations, frees, launches, copies, copied_bytes, prefetches, advices, shares,
        read_mostly;
};
extern counts counted;

int devices();
std::size_t memory_of_device();  // FAKE_CUDA_MEMORY
bool has_pageable_access();      // FAKE_CUDA_PAGEABLE
bool is_initialised();
int current_device();                   // of the current context, -1 without one
bool is_refused(const char* function);  // FAKE_CUDA_REFUSE
bool breaks_unsafely();                 // whether an unsafe call breaks captures: captures.cpp
bool breaks_capture();                  // whether a wait for all streams breaks a capture

void release_all(int device);  // releases all allocations on it, of each kind

}  // namespace fake
