/// The two types of elements that matrices and vectors have, and two more that files may have.
#pragma once

#include <cstddef>

namespace watari {

enum class precision { single_precision, double_precision };

constexpr std::size_t element_bytes(precision type) {
    return type == precision::single_precision ? sizeof(float) : sizeof(double);
}

/// Elements of 2 bytes in a file, which are multiplied as floats.
enum class half_type { float16, bfloat16 };

inline constexpr std::size_t half_bytes = 2;

}  // namespace watari
