/// Errors of files in a user's words: the file, the bytes, and advice.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <string>

namespace watari::files {

enum class direction { read, write };

/// Throws system_error for a file or folder that cannot be opened or made, from errno.
[[noreturn]] void cannot_open(const std::string& path, int error_number);

/// Throws system_error for a file whose data could not be made durable.
[[noreturn]] void sync_failed(const std::string& path, int error_number);

/// Throws for a transfer that did not move all its bytes. `result` is that of pread or pwrite:
/// bytes, or a negative errno.
[[noreturn]] void transfer_failed(direction direction, const std::string& path,
                                  std::uint64_t offset, std::size_t bytes, ssize_t result);

/// The texts of these errors, without that of errno.
std::string sync_text(const std::string& path, int error_number);
std::string transfer_text(direction direction, const std::string& path, std::uint64_t offset,
                          std::size_t bytes, ssize_t result);

/// Throws file_error unless the descriptors `opened` and `known` are of one file. known = -1: no
/// check.
void require_same_file(int opened, int known, const std::string& path);

}  // namespace watari::files
