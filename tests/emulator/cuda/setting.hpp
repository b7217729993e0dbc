// The numbers that variables give the emulator.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace fake {

// For a variable that is not set, or empty: `otherwise`.
inline std::uint64_t setting(const char* variable, std::uint64_t otherwise = 0) {
    const char* text = std::getenv(variable);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace fake
