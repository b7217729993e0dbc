// The change `pooled`: GPU memory that the program frees is kept, and given to the next allocation
// of the same size in the same context. The driver's free waits for the device, and programs rely
// on it: the wait stays, only unmapping and mapping are saved.
//
// The program must not notice. So kept blocks go back to the driver when
//
//     an allocation fails               or another call that lacks memory, which is made again
//     the program asks for free memory  (cuMemGetInfo)
//     it asks about, or frees, an address in one: the driver then answers as to freed memory
//     a capture of a stream begins      nothing may wait in a capture, so nothing is kept in one
//     a context ends                    the driver releases them with it
//
// and memory is never kept that the program shared with other processes or devices. What is kept
// at most: 256 blocks, and a quarter of each GPU's memory; the oldest go first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../driver/driver.hpp"
#include "../log/event_log.hpp"
#include "../styles/memory.hpp"

namespace attach::pooled {

bool is_on();

// Whether this allocation may come from a kept block, or become one.
bool is_meant(const request& asked);

// A kept block of this size and the current context. False: there is none.
bool take(std::size_t bytes, driver::device_pointer* pointer);

// A block of the driver, which took these nanoseconds to make it: it may be kept when freed.
void add(driver::device_pointer pointer, std::size_t bytes, std::uint64_t nanoseconds);

// Waits for the device and keeps a block instead of its release. False: the driver must release it.
bool keep(driver::device_pointer pointer);

// This block is freed in another way, or not as it was asked for: it is not kept.
void forget(driver::device_pointer pointer);

// The memory at this address is shared from now on: it is not kept.
void share(driver::device_pointer address);

// Releases all kept blocks. False: there were none.
bool give_back();

// Releases the kept block that contains this address, if there is one.
void give_back_at(driver::device_pointer address);

// Whether any block is kept, or could be.
bool holds_any();

// Called after the driver has destroyed this context, and with it all blocks in it. `device`: of a
// primary context, -1 of others. All blocks of the device are forgotten then, since those of green
// contexts end with the primary one.
void forget_context(const void* context, driver::device device);

// Makes an allocation of GPU memory: from a kept block, or by the driver; once more where the
// driver had no memory left and kept blocks have given theirs back.
template <class AsIs>
driver::result allocate(const request& asked, driver::device_pointer* pointer, AsIs as_is) {
    const bool meant = pointer && is_meant(asked);
    if (meant && take(asked.bytes, pointer)) return driver::success;
    const std::uint64_t begun = now();
    driver::result outcome = as_is();
    if (outcome == driver::out_of_memory && give_back()) outcome = as_is();
    if (meant && outcome == driver::success) add(*pointer, asked.bytes, now() - begun);
    return outcome;
}

}  // namespace attach::pooled
