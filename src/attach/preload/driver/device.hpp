// The context and the device that are current in the calling thread.
#pragma once

namespace attach {

// The current context, null if there is none.
const void* current_context();

// Returns the number of the current device, or -1; records the facts of each device once.
int current_device();

}  // namespace attach
