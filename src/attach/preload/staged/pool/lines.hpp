// Files of the kernel that are one line.
#pragma once

#include <cstdio>

namespace attach::staged {

inline bool read_line(const char* path, char* line, int size) {
    std::FILE* file = std::fopen(path, "re");
    if (!file) return false;
    const bool is_read = std::fgets(line, size, file) != nullptr;
    std::fclose(file);
    return is_read;
}

}  // namespace attach::staged
