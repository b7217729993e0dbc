/// The unit of direct I/O, of which offsets and sizes must be multiples: 512 bytes on most disks,
/// 4096 on some.
#pragma once

#include <cstddef>
#include <string>

namespace watari::files {

/// The unit for an open file, in bytes: as statx reports it (Linux 6.1), or else the smallest block
/// that a read accepts; for that the file must be open with O_DIRECT. 0: the file has no direct
/// I/O. Throws system_error.
std::size_t direct_unit_of(int file, const std::string& path);

/// The same for a file by its name; 0 also if it cannot be opened with O_DIRECT.
std::size_t direct_unit_of(const std::string& path);

}  // namespace watari::files
