// Call sites: a hash of the callers, the same in every run of a program, traced or not. Frames of
// the CUDA runtime are not part of it (runtime.hpp).
#pragma once

#include <cstdint>

namespace attach {

struct allocation_name {
    std::uint32_t site;     // hash over the modules' names and the offsets of the return addresses
    std::uint32_t ordinal;  // number of earlier allocations of this site
};

// Names the allocation that is being made, and records the site if it is new. Acquires the lock
// itself.
allocation_name name_allocation();

// Called after a module was unloaded: another may get its addresses, so that they are resolved
// again. The sites stay.
void forget_modules();

// Called in the child of a fork, whose log names the sites again. The parent's tables are not
// freed: another thread may have been inside the allocator during the fork.
void forget_sites();

}  // namespace attach
