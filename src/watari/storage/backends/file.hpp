/// The backend over ordinary files and block devices: by io_uring with registered buffers and
/// files, or, where there is none, by pread and pwrite of the controller's own thread.
///
/// Read: one command is one read for each run of memory and stripe. A file that ends before the
/// command does, since somebody cut it, is unrecovered_read. Write: with FUA by RWF_DSYNC. Flush:
/// fdatasync of every file. Nothing is kept in the process: what kill -9 leaves is what the kernel
/// was given.
#pragma once

#include "watari/files/striped_files.hpp"
#include "watari/storage/backends/backend.hpp"

#include <sys/types.h>
#include <memory>

namespace watari::storage {

/// Throws usage_error, unsupported, system_error. `notice` says so when pread takes the place of
/// io_uring, or buffers cannot be registered.
///
/// uring: by io_uring where it can be had.
std::shared_ptr<backend> make_file(const files::file_options& options, bool uring = true);

/// The channels of file.cpp.
std::unique_ptr<io_channel> open_pread_channel(const files::striped_files& files, bool writable,
                                               error_log& errors);
/// Sets `notice` if the memory could not be registered. Throws unsupported, system_error.
std::unique_ptr<io_channel> open_uring_channel(const files::striped_files& files, bool writable,
                                               const user_memory& memory, std::string& notice,
                                               error_log& errors);

/// The status of a command for `offset` of the namespace whose piece, or whose flush of a file,
/// gave `result`: a negative errno, or fewer bytes than were asked for. Adds it to the log.
status failed(error_log& errors, const files::striped_files& files, opcode operation,
              std::uint64_t offset, const files::striped_files::piece& piece, ssize_t result);

}  // namespace watari::storage
