/// A file while it is written: beside the result, locked, its blocks allocated. It is renamed to
/// the result when all of it is durable; a killed run leaves it. It takes owner and permissions of
/// an older result, as if that were overwritten.
#pragma once

#include "watari/files/descriptor.hpp"
#include "watari/files/file_state.hpp"

#include <cstdint>
#include <string>

namespace watari::files {

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
    /// Whether blocks that it had are gone: a hole, or a file system that stores it otherwise.
    bool lost_blocks() const { return blocks_of(file_.get()) < blocks_; }
    /// Makes what was written durable.
    void sync();
    /// Renames the file to the result, durably. Throws file_error.
    void put_in_place();
    /// Removes the file if its name still refers to it.
    void remove() { remove_own(path_, file_.get()); }

private:
    void inherit(mode_t more);
    static std::uint64_t blocks_of(int file);

    std::string output_, path_;
    descriptor file_;
    std::string header_;
    std::uint64_t bytes_ = 0, blocks_ = 0;  ///< when it was allocated
};

/// Throws file_error if the disk has no room for `bytes`. The blocks of a partial file count as
/// room.
void require_room_on_disk(const std::string& output, std::uint64_t bytes);

}  // namespace watari::files
