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
    throw usage_error("no hint is called '" + std::string(name) + "'");
}

}  // namespace watari::memory
