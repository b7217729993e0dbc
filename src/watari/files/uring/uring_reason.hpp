// The reason why a system has no io_uring.
#pragma once

#include <optional>
#include <string>

namespace watari::files {

/// The reason why io_uring_setup(2) failed, from its errno and, if it exists,
/// /proc/sys/kernel/io_uring_disabled.
std::string io_uring_reason(int error, std::optional<int> disabled);

/// The same with the value that /proc has on this machine.
std::string io_uring_reason(int error);

}  // namespace watari::files
