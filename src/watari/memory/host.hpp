/// Ordinary memory of the CPU: malloc, NUMA binding, transparent huge pages, how much there is.
#pragma once

#include "watari/memory/kind.hpp"

#include <cstddef>

namespace watari::memory::host {

/// Bytes of memory that can still be used: MemAvailable, or what the control group leaves.
std::size_t available(int device = 0);

/// malloc, on pages of its own, with what `how` says of huge pages and NUMA. Throws.
void* allocate(std::size_t bytes, const placement& how);

void release(void* data) noexcept;

/// Binds untouched pages of a range to one NUMA node. Throws system_error.
void bind(void* data, std::size_t bytes, int node);

/// Bytes of a page.
std::size_t page_size();

}  // namespace watari::memory::host
