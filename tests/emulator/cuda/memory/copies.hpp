// A copy of rows of bytes.
#pragma once

#include "../fake_cuda.hpp"

namespace fake {

struct box {
    device_pointer to, from;
    std::size_t width, height = 1, depth = 1;
    std::size_t to_pitch = 0, from_pitch = 0, to_slice = 0, from_slice = 0;

    std::size_t bytes() const { return width * height * depth; }
};

result copy(const box& in, void* stream, bool is_async);

}  // namespace fake
