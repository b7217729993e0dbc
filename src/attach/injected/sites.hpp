// Where in the program a call was made.
#pragma once

#include <cstdint>

namespace watari::attach {

// The note `site` of this call stack: up to eight frames `module+0xoffset`, without the driver's,
// CUPTI's and this library's own.
std::uint64_t call_site();

}  // namespace watari::attach
