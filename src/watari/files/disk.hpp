/// The disk under a file.
#pragma once

#include <sys/types.h>
#include <optional>
#include <string>

namespace watari::files {

/// The number of the disk, equal for all files on it: that of their file system, or of the block
/// device `path`. None: no such file, or a file system in memory, even one that accepts direct I/O.
std::optional<dev_t> disk_of(const std::string& path);

}  // namespace watari::files
