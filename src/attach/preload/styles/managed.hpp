// The program's managed allocations that are alive, for changes that depend on them: `prefetched`
// moves them, and `pooled` leaves them room.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../driver/driver.hpp"

namespace attach::managed {

struct allocation {
    driver::device_pointer pointer;
    std::size_t bytes;
    std::uint32_t site;
    const void* made_in;  // the context
};

// Whether a change needs them.
bool is_on();

void add(driver::device_pointer pointer, std::size_t bytes, std::uint32_t site);
void forget(driver::device_pointer pointer);

// Called after the driver has destroyed this context.
void forget_context(const void* context);

bool holds_any();

// Bytes of all.
std::size_t total();

// Copies the allocations of a call site, `most` of them. The caller holds the lock (lock.hpp).
std::size_t of_site(std::uint32_t site, allocation* found, std::size_t most);

}  // namespace attach::managed
