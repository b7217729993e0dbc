// The change `staged`: large copies of pageable memory go through pinned slots, which several
// threads fill or empty. What stays with the driver: captures, memory that it knows, memory that is
// not wholly anonymous, small copies.
#pragma once

#include "transfer.hpp"

namespace attach::staged {

// Whether a copy is between memory of the current GPU and pageable memory: the driver knows the one
// and not the other.
bool is_pageable(const transfer& asked);

// Makes a copy of pageable memory. Returns false, and has copied nothing, if the driver must make
// it.
bool copy(const transfer& asked, driver::result& outcome);

// A copy that could have been staged, and that the driver made: its rate is what staging is
// compared with. `nanoseconds` has the wait for earlier work in it, so the best rate counts.
void compare_with(const transfer& by_driver, std::uint64_t nanoseconds);

// Called before a capture begins: returns when no copy uses the legacy stream, which a capture
// forbids.
void await_legacy_copies();

// Whether any context has events or pinned slots of this library.
bool holds_any();

// Called after the driver has destroyed a context.
void forget(const void* context);

}  // namespace attach::staged
