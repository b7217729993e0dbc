// The call sites of a program.
#pragma once

#include <cstdint>

namespace watari::attach {

// Returns the note `site` of this call stack: up to eight frames `module+0xoffset`, without those
// of the driver, the CUDA runtime, CUPTI and this library.
std::uint64_t call_site();

}  // namespace watari::attach
