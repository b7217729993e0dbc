// The kernels of the test programs.
#pragma once

#include "queue.hpp"

namespace fake {

bool has_kernel(const char* name);

// Where a parameter lies; its size is 0 beyond the last.
struct placed {
    std::size_t offset, size;
};
placed parameter_of(const char* name, std::size_t index);
bool tells_parameters(const char* name);

// A launch of a kernel of this (mangled) name, with a copy of its arguments.
queue::operation kernel_operation(void* function, std::uint64_t blocks, std::uint64_t threads,
                                  void* const* arguments);

}  // namespace fake
