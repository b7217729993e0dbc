// Hints for managed memory, by the style of this process.
#pragma once

#include <cstddef>

#include "../driver/driver.hpp"

namespace attach {

// Gives the style's hints for managed memory, a prefetch in the order of a stream; records each.
void treat_managed(driver::device_pointer pointer, std::size_t bytes, driver::stream stream);

}  // namespace attach
