/// A file while it is made: beside the result's name, locked, its blocks allocated. It takes that
/// name when all of it is durable; a run that was killed leaves it. An older file of that name
/// hands down owner and permissions, as if it were written over.
#pragma once

#include "watari/files/descriptor.hpp"
#include "watari/files/file_state.hpp"

#include <cstdint>
#include <string>

namespace watari::files {

/// C.npy.partial, and the journal beside it.
std::string partial_path(const std::string& output);
std::string journal_path(const std::string& output);

class partial_file {
public:
    /// Opens or makes it. Throws file_error, and usage_error where another run writes it.
    explicit partial_file(const std::string& output);

    int get() const { return file_.get(); }
    std::uint64_t inode() const;
    file_state state() const { return file_state::of(file_.get()); }
    /// Whether its name is not another file's by now.
    bool has_its_name() const { return is_name_of(path_, file_.get()); }

    /// Begins anew, or keeps what is there: `bytes` of it have their blocks on the disk, its header
    /// is there, and both are durable. Throws file_error.
    void allocate(std::uint64_t bytes, const std::string& header, bool anew);
    /// What another process did to it since it was allocated: `is 8192 bytes long, not 4294971392`.
    /// Empty: nothing that shows.
    std::string damage() const;
    /// Whether blocks that it had are gone: a hole, or a file system that stores it otherwise.
    bool lost_blocks() const { return blocks_of(file_.get()) < blocks_; }
    /// What was written is durable.
    void sync();
    /// Gives it its name, for good. Throws file_error.
    void put_in_place();
    /// Removes it, if the name still is its own.
    void remove() { remove_own(path_, file_.get()); }

private:
    void inherit(mode_t more);
    static std::uint64_t blocks_of(int file);

    std::string output_, path_;
    descriptor file_;
    std::string header_;
    std::uint64_t bytes_ = 0, blocks_ = 0;  ///< when it was allocated
};

/// Throws file_error where a disk does not have the bytes, some of which a partial file has
/// already.
void require_room_on_disk(const std::string& output, std::uint64_t bytes);

}  // namespace watari::files
