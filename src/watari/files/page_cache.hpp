/// How much of open files lies in the kernel's page cache, and how to empty or fill it.
#pragma once

#include "watari/files/striped_files.hpp"

#include <cstddef>

namespace watari::files {

/// Bytes of the files in the page cache, whole pages. Throws system_error.
std::size_t cached_bytes(const striped_files& files);

/// Brings the page cache into the state that the files were opened for. Throws unsupported where it
/// does not come about, system_error.
void prepare_page_cache(const striped_files& files);

}  // namespace watari::files
