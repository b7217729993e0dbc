// What this machine offers for storage: `cufile`, `io_uring`.
#pragma once

#include "watari/machine/capability.hpp"

#include <string>
#include <vector>

namespace watari::storage {

/// Loads libcufile to see whether it is there, and makes and closes one io_uring.
std::vector<machine::capability> capabilities();

/// What a user of cuFile must know of this machine: whether it is direct, and what it lacks. cuFile
/// asks libudev for ID_FS_USAGE and ID_FS_TYPE of a file's block device, and refuses the file
/// (error 5027) where nothing answers.
std::string cufile_detail();

}  // namespace watari::storage
