/// The backend over ordinary files and block devices: by io_uring with registered buffers and
/// files, or, without io_uring, by pread and pwrite in the controller's thread.
///
/// Read: one command becomes one read for each run of memory and stripe. The status is
/// unrecovered_read if a file ends before the command does, because it was truncated. Write: FUA
/// uses RWF_DSYNC. Flush: fdatasync of every file. The process buffers nothing: after kill -9 the
/// files have all that the kernel was given.
#pragma once

#include "watari/files/striped_files.hpp"
#include "watari/storage/backends/backend.hpp"

#include <sys/types.h>
#include <memory>

namespace watari::storage {

/// Makes the backend; `uring`: uses io_uring if it is available. `notice` reports if pread replaces
/// io_uring or buffers cannot be registered. Throws usage_error, unsupported, system_error.
std::shared_ptr<backend> make_file(const files::file_options& options, bool uring = true);

/// The channels of file.cpp.
std::unique_ptr<io_channel> open_pread_channel(const files::striped_files& files, bool writable,
                                               error_log& errors);
/// Sets `notice` if the memory could not be registered. Throws unsupported, system_error.
std::unique_ptr<io_channel> open_uring_channel(const files::striped_files& files, bool writable,
                                               const user_memory& memory, std::string& notice,
                                               error_log& errors);

/// Returns the status of a command at byte `offset` of the namespace whose piece, or whose flush of
/// a file, returned `result`: a negative errno, or fewer bytes than requested. Adds the reason to
/// the log.
status failed(error_log& errors, const files::striped_files& files, opcode operation,
              std::uint64_t offset, const files::striped_files::piece& piece, ssize_t result);

}  // namespace watari::storage
