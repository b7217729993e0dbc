/// Ordinary memory of the CPU: NUMA binding, page sizes, available bytes.
///
/// Anonymous private mappings, as malloc makes for large sizes, but always fresh: malloc may return
/// memory that was touched before.
#pragma once

#include "watari/memory/kind.hpp"

#include <cstddef>
#include <string>

namespace watari::memory::host {

/// Bytes of CPU memory that can still be used, and the name of the limit that applies; empty: only
/// the machine's memory.
struct room {
    std::size_t bytes;
    std::string limit;
};

/// The least of MemAvailable, without the GPU memory that the kernel counts into it on GH200, and
/// what control groups (v1 and v2) and RLIMIT_AS leave.
room left();
std::size_t available(int device = 0);

/// Bytes of addresses that RLIMIT_AS (`ulimit -v`) leaves this process; SIZE_MAX without it.
std::size_t addresses_left();

/// Bytes of addresses that a thread takes for its stack.
std::size_t stack_bytes();

/// Allocates whole untouched pages, with the huge pages and NUMA node of `how`. Throws
/// beyond_memory, unsupported, system_error.
void* allocate(std::size_t bytes, const placement& how);

void release(void* data, std::size_t bytes, const placement& how) noexcept;

/// Throws unsupported, with advice, unless the kernel's pool of pages of `how.page` bytes has
/// `pages` unreserved pages, on the node of `how` if it names one.
void require_pool(std::size_t pages, const placement& how);

/// The number of pages, of `how.page` bytes or ordinary ones, that hold `bytes`.
std::size_t pages_for(std::size_t bytes, const placement& how);

/// Binds untouched pages of a range to one NUMA node. Throws unsupported, system_error.
void bind(void* data, std::size_t bytes, int node);

/// Bytes of a page.
std::size_t page_size();

}  // namespace watari::memory::host
