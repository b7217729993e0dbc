/// A file while it is written: beside the result, locked, its blocks allocated. It is renamed to
/// the result when all of it is durable; a killed run leaves it. It takes owner and permissions of
/// an older result, as if that were overwritten.
///
/// Another process may cut, overwrite or replace the file meanwhile. No cheap check detects that
/// with certainty:
///
///     size, allocated blocks   our later writes fill a cut again: one row of a tile fills a block
///     mtime, ctime             our own writes change them too
///     change counter           the kernel has one (STATX_CHANGE_COOKIE), but programs cannot read
///     it file lease (F_SETLEASE)  local file systems only, and a file that is open once; it delays
///                              every process that opens the file
///     events (fanotify)        local file systems only, forbidden in most containers, silent about
///                              mapped pages
///
/// So the content is compared with checksums of our memory. The writer reads the file back
/// (verify), or every reader compares it, if the file has the checksums (H-matrices, one for each
/// page). The writer writes nothing while it reads back, so a new ctime shows another process; no
/// process can set ctime. A kernel before Linux 6.13 counts it in ticks of at most 10 ms, so
/// verify() first waits for one tick.
#pragma once

#include "watari/files/descriptor.hpp"
#include "watari/files/file_state.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace watari::files {

/// Throws file_error for a result that cannot be written. `error_number` is that of errno.
[[noreturn]] void cannot_write(const std::string& output, int error_number);

/// C.npy.partial, and the journal beside it, for the output C.npy.
std::string partial_path(const std::string& output);
std::string journal_path(const std::string& output);

class partial_file {
public:
    /// Opens or creates the file. Throws file_error, and usage_error if another run writes it.
    explicit partial_file(const std::string& output);

    int get() const { return file_.get(); }
    std::uint64_t inode() const;
    file_state state() const { return file_state::of(file_.get()); }
    /// Whether its name still refers to this file.
    bool has_its_name() const { return is_name_of(path_, file_.get()); }

    /// Allocates the blocks of `bytes` bytes on the disk and writes the header; both are durable
    /// then. `anew`: discards what the file holds. Throws file_error.
    void allocate(std::uint64_t bytes, const std::string& header, bool anew);
    /// Describes how another process changed the file since it was allocated: `is 8192 bytes long,
    /// not 4294971392`. Empty: no change that shows.
    std::string damage() const;
    /// Makes what was written durable.
    void sync();
    /// Calls `read_back`, which compares the content with what was written and throws file_error
    /// for damage; again if another process changed the file meanwhile. Returns false if
    /// `read_back` does. Throws file_error after the third change.
    bool verify(const std::function<bool()>& read_back);
    /// Renames the file to the result, durably. Its content is verified, or every reader verifies
    /// it. Throws file_error.
    void put_in_place();
    /// Removes the file if its name still refers to it.
    void remove() { remove_own(path_, file_.get()); }

private:
    void inherit(mode_t more);
    file_version version() const;

    std::string output_, path_;
    descriptor file_;
    std::string header_;
    std::uint64_t bytes_ = 0;  ///< when it was allocated
};

/// Throws file_error if the disk has no room for `bytes`. The blocks of a partial file count as
/// room.
void require_room_on_disk(const std::string& output, std::uint64_t bytes);

}  // namespace watari::files
