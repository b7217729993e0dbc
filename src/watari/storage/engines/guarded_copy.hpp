/// A copy from or to mapped files that survives pages without data.
#pragma once

#include <cstddef>

namespace watari::storage {

/// While a guard lives, SIGBUS inside guarded_copy makes that copy return false. Elsewhere SIGBUS
/// has its former effect.
class bus_guard {
public:
    bus_guard();
    bus_guard(const bus_guard&) = delete;
    bus_guard& operator=(const bus_guard&) = delete;
    ~bus_guard();
};

/// As memcpy; returns false if a page of either side has no data (SIGBUS).
bool guarded_copy(void* to, const void* from, std::size_t bytes);

}  // namespace watari::storage
