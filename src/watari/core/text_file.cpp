#include "watari/core/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <array>
#include <cerrno>

namespace watari {

std::optional<std::string> text_of(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    std::string text;
    std::array<char, 4096> part;
    ssize_t more = 0;
    while ((more = read(file, part.data(), part.size())) != 0) {
        if (more < 0 && errno != EINTR) break;
        if (more > 0) text.append(part.data(), static_cast<std::size_t>(more));
    }
    close(file);
    return more < 0 ? std::nullopt : std::optional(std::move(text));
}

std::optional<std::string> line_of(const std::string& path, std::string_view begins_with) {
    const std::optional<std::string> text = text_of(path);
    for (std::string_view left = text ? *text : std::string_view(); !left.empty();)
        if (const std::string_view line = take_until(left, '\n'); line.starts_with(begins_with))
            return std::string(line);
    return std::nullopt;
}

}  // namespace watari
