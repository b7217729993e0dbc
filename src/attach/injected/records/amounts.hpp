// Amounts in the text of a note.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace watari::attach {

// Two digits and a unit.
inline std::string amount(double value, const char* unit) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2g %s", value, unit);
    return text.data();
}

inline std::string seconds(double ns) { return amount(ns * 1e-9, "s"); }

}  // namespace watari::attach
