#include "watari/core/error.hpp"
#include "watari/memory/hint.hpp"

#include <string>

namespace watari::memory {

std::span<const std::pair<std::string_view, hint>> hints() {
    static constexpr std::pair<std::string_view, hint> table[] = {
        {"none", hint::none},
        {"prefetch", hint::prefetch},
        {"mapped", hint::mapped},
        {"read-mostly", hint::read_mostly},
    };
    return table;
}

hint hint_named(std::string_view name) {
    for (const auto& [known, value] : hints())
        if (known == name) return value;
    std::string known;
    for (const auto& [word, value] : hints())
        known += (known.empty() ? "" : ", ") + std::string(word);
    throw usage_error("hint must be one of " + known + ", not '" + std::string(name) + "'");
}

}  // namespace watari::memory
