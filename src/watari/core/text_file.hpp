/// Small text files of the kernel's, read without streams: where another C++ runtime is in the
/// process, a stream's facets may be that one's.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace watari {

/// All of it; none where it cannot be read.
std::optional<std::string> text_of(const std::string& path);

/// Takes what stands before the next `end`, and that, from the front of a text.
inline std::string_view take_until(std::string_view& text, char end) {
    const std::size_t length = std::min(text.find(end), text.size());
    const std::string_view taken = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return taken;
}

/// The first line of a file that begins so; none where there is no such line.
std::optional<std::string> line_of(const std::string& path, std::string_view begins_with = "");

}  // namespace watari
