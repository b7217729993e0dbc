/// The disk under a file.
#pragma once

#include <sys/types.h>
#include <optional>
#include <string>
#include <vector>

namespace watari::files {

/// The number of the disk, equal for all files on it: that of their file system, or of the block
/// device `path`. None: no such file, or a file system in memory, even one that accepts direct I/O.
std::optional<dev_t> disk_of(const std::string& path);

/// Folders of different names whose files are on one device, "a and b"; empty if none are. File i
/// is in folder i. Throws system_error.
std::string on_one_device(const std::vector<int>& files, const std::vector<std::string>& folders);

}  // namespace watari::files
