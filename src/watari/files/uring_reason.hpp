// Why a system has no io_uring.
#pragma once

#include <optional>
#include <string>

namespace watari::files {

/// Why io_uring_setup(2) failed, from its errno and, where that exists,
/// /proc/sys/kernel/io_uring_disabled.
std::string io_uring_reason(int error, std::optional<int> disabled);

/// The same with what /proc says here.
std::string io_uring_reason(int error);

}  // namespace watari::files
