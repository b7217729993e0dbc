/// Files in memory without a name in any folder, for programs that read files. A file is gone when
/// its last descriptor is closed.
#pragma once

#include "watari/files/descriptor.hpp"

#include <cstdint>
#include <string>

namespace watari::files {

/// Makes a file of zeros. `name` is for people who look at open files. Throws system_error.
descriptor memory_file(const std::string& name, std::uint64_t bytes);

/// The path by which this process opens the file of a descriptor again.
std::string path_of(const descriptor& file);

}  // namespace watari::files
