#include "watari/core/error.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace watari {

beyond_memory::beyond_memory(const std::string& what, std::size_t requested_bytes,
                             std::size_t available_bytes, const std::string& advice)
    : unsupported(what + ": asked for " + bytes_text(requested_bytes) + ", available " +
                  bytes_text(available_bytes) + "; " + advice),
      requested(requested_bytes),
      available(available_bytes) {}

system_error::system_error(const std::string& call, int error_number)
    : error(call + ": " + std::strerror(error_number)) {}

std::string bytes_text(std::size_t bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
    double scaled = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (scaled >= 1024 && unit + 1 < units.size()) {
        scaled /= 1024;
        ++unit;
    }
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.4g %s (%zu bytes)", scaled, units[unit], bytes);
    return text.data();
}

std::string where(const std::source_location& location) {
    std::string_view file = location.file_name();
    file.remove_prefix(file.find_last_of('/') + 1);
    return std::string(file) + ":" + std::to_string(location.line());
}

}  // namespace watari
