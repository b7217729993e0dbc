// Copies of pageable memory by call site, for the event log and the rules `copy:HASH`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attach {

struct copy_name {
    std::uint32_t site;  // as of an allocation (site.hpp); 0 if neither log nor rule asks for it
    bool is_chosen;      // by the rules: a change may act on this copy
};

// Names the copy that is being made. Walks the call stack only if a log or a rule needs the site.
copy_name name_copy(std::size_t bytes);

// Adds a copy to the totals of its site. They are written when their number reaches 1, 2, 4, 8, ...
// and at the end, so that a killed process loses half of them at most. Without a log: nothing.
void record_copy(const copy_name& name, bool is_to_gpu, std::size_t bytes,
                 std::uint64_t nanoseconds);

// Writes the totals. The caller holds the lock (lock.hpp).
void record_copies();

// Called in the child of a fork, which counts anew.
void forget_copies();

}  // namespace attach
