/// What is wrong with a file, in a user's words: which file, which bytes, what to try.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <string>

namespace watari::storage {

enum class direction { read, write };

/// Throws system_error for a file or folder that cannot be opened or made, from errno.
[[noreturn]] void cannot_open(const std::string& path, int error_number);

/// Throws for a transfer that did not move all its bytes. `result` is what pread or pwrite gave:
/// bytes, or a negative errno.
[[noreturn]] void transfer_failed(direction way, const std::string& path, std::uint64_t offset,
                                  std::size_t bytes, ssize_t result);

}  // namespace watari::storage
