/// The two types of elements that matrices and vectors have.
#pragma once

#include <cstddef>

namespace watari {

enum class precision { single_precision, double_precision };

constexpr std::size_t element_bytes(precision type) {
    return type == precision::single_precision ? sizeof(float) : sizeof(double);
}

}  // namespace watari
