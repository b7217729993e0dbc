/// Ordinary memory of the CPU: NUMA binding, transparent huge pages, how much there is.
///
/// Anonymous private mappings, which is what malloc gives for large sizes; but always fresh, since
/// malloc may hand out again what was touched before.
#pragma once

#include "watari/memory/kind.hpp"

#include <cstddef>

namespace watari::memory::host {

/// Bytes of CPU memory that can still be used: MemAvailable, without the GPU memory that the kernel
/// counts into it on GH200, or what control groups leave.
std::size_t available(int device = 0);

/// Whole untouched pages, with what `how` says of huge pages and NUMA. Throws.
void* allocate(std::size_t bytes, const placement& how);

void release(void* data, std::size_t bytes) noexcept;

/// Binds untouched pages of a range to one NUMA node. Throws unsupported, system_error.
void bind(void* data, std::size_t bytes, int node);

/// Bytes of a page.
std::size_t page_size();

}  // namespace watari::memory::host
