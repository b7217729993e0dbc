// Calls of the driver whose records lack addresses: copies and prefetches, with their call site.
#pragma once

#include <cupti.h>

namespace watari::attach {

// Asks CUPTI to call back at these calls.
bool subscribe_to_calls(CUpti_SubscriberHandle subscriber);

// Called when a call of the driver begins or ends.
void on_call(CUpti_CallbackId call, const CUpti_CallbackData& data);

}  // namespace watari::attach
