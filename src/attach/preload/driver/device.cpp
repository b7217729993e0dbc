#include "device.hpp"

#include <cstddef>

#include "../log/event_log.hpp"
#include "../log/lock.hpp"
#include "../styles/settings.hpp"
#include "driver.hpp"
#include "real.hpp"

namespace attach {
namespace {

using driver::result;

void record_device(driver::device number) {
    auto* attribute = driver_function<result(int*, int, driver::device)>("cuDeviceGetAttribute");
    auto* total = driver_function<result(std::size_t*, driver::device)>("cuDeviceTotalMem_v2");
    std::size_t memory = 0;
    int managed = 0, pageable = 0, concurrent = 0;
    if (total) total(&memory, number);
    if (attribute) {
        attribute(&managed, driver::attribute_managed_memory, number);
        attribute(&pageable, driver::attribute_pageable_access, number);
        attribute(&concurrent, driver::attribute_concurrent_managed, number);
    }
    const guard hold;
    event("device", now())
        .number("device", number)
        .number("memory", static_cast<long long>(memory))
        .number("managed", managed)
        .number("pageable", pageable)
        .number("concurrent", concurrent)
        .write();
}

}  // namespace

const void* current_context() {
    void* context = nullptr;
    auto* call = driver_function<result(void**)>("cuCtxGetCurrent");
    return call && call(&context) == driver::success ? context : nullptr;
}

int current_device() {
    static bool recorded[64];
    driver::device number = -1;
    auto* call = driver_function<result(driver::device*)>("cuCtxGetDevice");
    if (!call || call(&number) != driver::success) return -1;
    if (log_folder() && number >= 0 && number < 64 &&
        !__atomic_exchange_n(&recorded[number], true, __ATOMIC_RELAXED))
        record_device(number);
    return number;
}

}  // namespace attach
