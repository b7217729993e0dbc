// The threads that fill and empty slots. They never call the driver: pieces are submitted by the
// program's own thread, so its default stream, context and errors are its own. They sleep while no
// copy is made.
#pragma once

#include "crew.hpp"

namespace attach::staged {

// Starts the threads, once; returns how many there are. Fewer than `least_threads`: none work.
unsigned start_pool(const crew& planned);

// Called after a copy has opened pieces.
void call_pool();

// In the child of a fork, which has no threads but its own.
void forget_pool();

}  // namespace attach::staged
