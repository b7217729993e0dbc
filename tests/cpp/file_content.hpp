/// The content of a test's file, read and changed through its name.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

namespace watari {

inline std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void overwrite(const std::string& path, std::uint64_t at, const std::string& by) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file << by;
}

}  // namespace watari
