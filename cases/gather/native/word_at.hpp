/// A word of an array of measure::pattern, by its place.
#pragma once

#include "watari/core/backend.hpp"
#include "watari/measure/pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace watari::WATARI_BACKEND {

/// Returns the word at a byte of an array of measure::pattern.
WATARI_KERNEL inline std::uint32_t word_at(std::size_t byte, std::uint64_t seed) {
    const double value = measure::pattern(byte / sizeof(double), seed);
    std::uint32_t halves[2];
    memcpy(halves, &value, sizeof value);
    return halves[byte / sizeof(std::uint32_t) % 2];
}

}  // namespace watari::WATARI_BACKEND
