// A libcupti for tests: it observes the fake libcuda and hands out activity records and callbacks
// as CUPTI does. As with CUPTI, a buffer comes back when it is full or flushed. ../README.md lists
// its variables.
#pragma once

#include <cupti.h>

#include "observe.hpp"
#include "setting.hpp"

#define FAKE_CUPTI extern "C" __attribute__((visibility("default")))

namespace fake_cupti {

using fake::setting;

std::uint32_t observe(const fake::seen& sight);  // callbacks.cpp: the driver calls it
void record(const fake::seen& sight, CUpti_CallbackId call,
            std::uint32_t correlation);  // activities.cpp
std::uint32_t stream_number(const void* stream);

}  // namespace fake_cupti
