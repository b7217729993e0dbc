// Capabilities of this machine for storage: `cufile`, `io_uring`.
#pragma once

#include "watari/machine/capability.hpp"

#include <string>
#include <vector>

namespace watari::storage {

/// Loads libcufile to check that it is installed, and makes and closes one io_uring.
std::vector<machine::capability> capabilities();

/// Says whether cuFile is direct on this machine or in compatibility mode, and whether the udev
/// database is missing. cuFile asks libudev for ID_FS_USAGE and ID_FS_TYPE of a file's block
/// device. Without an answer, cuFile refuses the file (error 5027).
std::string cufile_detail();

}  // namespace watari::storage
