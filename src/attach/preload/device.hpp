// The context and the device that are current in the calling thread.
#pragma once

namespace attach {

// The current context, null where there is none.
const void* current_context();

// Facts of the current device, recorded once for each device; its number, or -1.
int current_device();

}  // namespace attach
