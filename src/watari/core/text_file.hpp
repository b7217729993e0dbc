/// Small text files of the kernel, read without iostreams: with another C++ runtime in the process,
/// a stream could use the facets of that runtime.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace watari {

/// The text of a file; nullopt if it cannot be read.
std::optional<std::string> text_of(const std::string& path);

/// Removes the text up to and including the next `end` from the front, and returns it without
/// `end`.
inline std::string_view take_until(std::string_view& text, char end) {
    const std::size_t length = std::min(text.find(end), text.size());
    const std::string_view taken = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return taken;
}

/// The first line of a file that begins with `begins_with`; nullopt if there is none.
std::optional<std::string> line_of(const std::string& path, std::string_view begins_with = "");

}  // namespace watari
