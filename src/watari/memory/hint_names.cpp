#include "watari/core/error.hpp"
#include "watari/memory/hint.hpp"

#include <string>
#include <utility>

namespace watari::memory {

hint hint_named(std::string_view name) {
    constexpr std::pair<std::string_view, hint> table[] = {
        {"none", hint::none},
        {"prefetch", hint::prefetch},
        {"mapped", hint::mapped},
        {"read-mostly", hint::read_mostly},
    };
    for (const auto& [known, value] : table)
        if (known == name) return value;
    throw usage_error("no hint is called '" + std::string(name) + "'");
}

}  // namespace watari::memory
