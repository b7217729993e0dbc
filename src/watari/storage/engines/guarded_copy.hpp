/// A copy from or to mapped files that survives pages without data.
#pragma once

#include <cstddef>

namespace watari::storage {

/// While one lives, SIGBUS inside guarded_copy is the copy's failure; elsewhere it is what it was.
class bus_guard {
public:
    bus_guard();
    bus_guard(const bus_guard&) = delete;
    bus_guard& operator=(const bus_guard&) = delete;
    ~bus_guard();
};

/// memcpy; false if a page of either side has no data (SIGBUS).
bool guarded_copy(void* to, const void* from, std::size_t bytes);

}  // namespace watari::storage
