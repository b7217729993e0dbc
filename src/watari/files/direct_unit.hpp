/// What offsets and sizes of direct I/O must be multiples of: 512 bytes on most disks, 4096 on
/// some.
#pragma once

#include <cstddef>
#include <string>

namespace watari::files {

/// Of an open file, bytes: as statx reports (Linux 6.1), or, where the kernel does not, the
/// smallest block that is read; for that the file must have been opened with O_DIRECT. 0: there is
/// no direct I/O of it. Throws system_error.
std::size_t direct_unit_of(int file, const std::string& path);

/// The same of a file by its name; 0 also where it cannot be opened so.
std::size_t direct_unit_of(const std::string& path);

}  // namespace watari::files
