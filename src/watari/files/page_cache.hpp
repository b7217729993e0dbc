/// Measures how much of open files lies in the kernel's page cache; empties or fills it.
#pragma once

#include "watari/files/striped_files.hpp"

#include <cstddef>

namespace watari::files {

/// Bytes of the files in the page cache, whole pages. Throws system_error.
std::size_t cached_bytes(const striped_files& files);

/// Brings the page cache into the state that the files were opened for. Throws unsupported if it
/// does not reach this state; throws system_error.
void prepare_page_cache(const striped_files& files);

}  // namespace watari::files
