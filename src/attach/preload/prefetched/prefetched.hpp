// The change `prefetched`: managed memory that the CPU touched moves to the GPU before the kernel
// that uses it, by a prefetch in the kernel's stream. A fault for each page costs several times as
// much. Which kernel uses which allocations comes from a trace of the program:
//
//     WATARI_CHANGES_PREFETCHES=KERNEL:SITE,...    in hexadecimal; KERNEL: hash_of(its symbol)
//
// Whether the CPU touched an allocation since is seen in the page tables of this process: pages
// that the GPU holds are not mapped there. A few pages of an allocation stand for all of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../driver/driver.hpp"

namespace attach::prefetched {

bool is_on();

// FNV-1a of a text.
std::uint32_t hash_of(const char* text);

// Called before a launch of this function on this stream. `parameters`: null if they are not known.
void before(const void* function, driver::stream on, void** parameters);

// Called before functions end with their module: another may get their handles.
void forget_functions();

}  // namespace attach::prefetched
