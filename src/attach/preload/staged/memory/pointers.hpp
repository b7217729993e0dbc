// The kind of memory behind a pointer, as the driver knows it.
#pragma once

#include <cstddef>

#include "../../driver/driver.hpp"

namespace attach::staged {

// Whether all of it is one allocation of memory of this GPU.
bool is_memory_of(driver::device gpu, driver::device_pointer pointer, std::size_t bytes);

// Whether the driver knows neither end: neither pinned, registered, managed nor GPU memory.
bool is_unknown(const void* host, std::size_t bytes);

// Whether a stream takes work of this context.
bool is_stream_of(const void* context, driver::stream on);

// Whether the GPU reads the program's own page tables: its copies need no pinned memory.
bool has_page_tables_of_host(driver::device gpu);

}  // namespace attach::staged
