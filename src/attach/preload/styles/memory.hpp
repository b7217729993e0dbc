// Allocations in the style of this process, in place of the kind that a program asks for.
#pragma once

#include <cstddef>

#include "../driver/driver.hpp"
#include "../log/site.hpp"
#include "settings.hpp"

namespace attach {

// An allocation that a program asks for.
struct request {
    const char* api;
    kind of;
    std::size_t bytes;
    allocation_name name;
    driver::stream stream = nullptr;
    const void* from = nullptr;  // the pool, if the program named one
    bool is_ordered = false;     // by a stream: cuMemAllocAsync and similar calls
};

// Whether the style of this process moves GPU memory at all.
bool is_anything_moved();

// Whether an allocation of GPU memory gets another kind in the style of this process.
bool is_moved(const request& asked);

// Leaves every later allocation as it is: the library that samples kernels (src/attach/injected)
// calls this when it has done so.
extern "C" __attribute__((visibility("default"))) void watari_leave_new_memory();

// Allocates memory of the style's kind. Needs a current context, as every allocation of a program.
driver::result allocate(const request& asked, driver::device_pointer* pointer);

// Releases memory of `allocate`: now or, if `is_ordered`, for the next allocation on this stream.
// Returns false if the pointer is not from `allocate`.
bool release(driver::device_pointer pointer, driver::stream stream, bool is_ordered,
             driver::result& outcome);

// Called after the driver has destroyed this context, and with it the memory of `allocate` there.
void forget_context(const void* context);

// Called before this stream is destroyed: another stream may get its handle, but not its order.
void forget_stream(driver::stream stream);

// Whether any stream of the process is being captured.
bool is_any_captured();

}  // namespace attach
