// Hints for managed memory, as the style of this process says.
#pragma once

#include <cstddef>

#include "driver.hpp"

namespace attach {

// Hints for memory that is managed now, as the style says, in the order of a stream; records each.
void treat_managed(driver::device_pointer pointer, std::size_t bytes, driver::stream stream);

}  // namespace attach
