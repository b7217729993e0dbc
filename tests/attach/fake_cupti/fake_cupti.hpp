// A libcupti for tests: it observes the fake libcuda and hands out activity records and callbacks
// as CUPTI does. As with CUPTI, a buffer comes back when it is full or flushed.
//
//     FAKE_CUPTI_LOSE=N      every N-th transfer of managed memory is lost without a report
//     FAKE_CUPTI_DROP=N      every N-th record is dropped, and counted as such
//     FAKE_CUPTI_OWN_CLOCK=1 times are of CLOCK_REALTIME, whatever clock the client gives
//     FAKE_CUPTI_NO_COUNTERS=1  no counters of unified memory
//     FAKE_CUPTI_VERSION=N   the result of cuptiGetVersion
//     FAKE_CUPTI_CALL_NS=N   recording a call takes N ns, before and after it
#pragma once

#include <cupti.h>

#include "observe.hpp"

#define FAKE_CUPTI extern "C" __attribute__((visibility("default")))

namespace fake_cupti {

std::uint32_t observe(const fake::seen& sight);  // callbacks.cpp: the driver calls it
void record(const fake::seen& sight, CUpti_CallbackId call,
            std::uint32_t correlation);      // activities.cpp
std::uint64_t number(const char* variable);  // 0 if it is not set
std::uint32_t stream_number(const void* stream);

}  // namespace fake_cupti
