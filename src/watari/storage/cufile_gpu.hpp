/// NVIDIA's GPUDirect Storage on this machine.
#pragma once

#include "watari/machine/capability.hpp"

#include <string>

namespace watari::storage {

/// Loads libcufile to check that it is installed.
machine::capability cufile_capability();

/// Says whether cuFile is direct on this machine or in compatibility mode, and whether the udev
/// database is missing. cuFile asks libudev for ID_FS_USAGE and ID_FS_TYPE of a file's block
/// device. Without an answer, cuFile refuses the file (error 5027).
std::string cufile_detail();

}  // namespace watari::storage
