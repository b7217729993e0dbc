// Call sites: who called, the same number in every run of a program.
#pragma once

#include <cstdint>

namespace attach {

struct allocation_name {
    std::uint32_t site;     // hash over the modules' names and the offsets of the return addresses
    std::uint32_t ordinal;  // how many allocations this site made before
};

// Names the allocation that is being made, and records the site where it is new. Holds the lock
// itself.
allocation_name name_allocation();

// A module is gone, and another may get its addresses: they are resolved anew. The sites stay.
void forget_modules();

// In the child of a fork, whose log names them anew. The tables of the parent are not freed:
// another thread's allocator may have been in the middle of a step.
void forget_sites();

}  // namespace attach
