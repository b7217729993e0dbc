/// The disk under a file.
#pragma once

#include <sys/types.h>
#include <optional>
#include <string>

namespace watari::files {

/// A number that files on the same disk share: of their file system, or of the block device that
/// `path` is. None: a file system in memory, which grants direct I/O, too; no such file.
std::optional<dev_t> disk_of(const std::string& path);

}  // namespace watari::files
