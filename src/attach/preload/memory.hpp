// Memory in the style that was asked for, in place of what a program allocates.
#pragma once

#include <cstddef>

#include "driver.hpp"
#include "settings.hpp"
#include "site.hpp"

namespace attach {

// What a program asks for.
struct request {
    const char* api;
    kind of;
    std::size_t bytes;
    allocation_name name;
    driver::stream stream = nullptr;
    const void* from = nullptr;  // the pool that was named
    bool is_ordered = false;     // by a stream: cuMemAllocAsync and its kin
};

// Whether an allocation of GPU memory gets another kind in the style of this process.
bool is_moved(const request& asked);

// Allocates it in that kind. Needs a current context, as every allocation of a program.
driver::result allocate(const request& asked, driver::device_pointer* pointer);

// Releases what `allocate` gave, now or, where `is_ordered`, for the next allocation on this
// stream. False: the pointer is not one of those.
bool release(driver::device_pointer pointer, driver::stream stream, bool is_ordered,
             driver::result& outcome);

// The driver has destroyed this context, and with it what `allocate` gave there.
void forget_context(const void* context);

// This stream is about to be destroyed: another may get its handle, and not its order.
void forget_stream(driver::stream stream);

// Whether any stream of the process is being captured.
bool is_any_captured();

}  // namespace attach
