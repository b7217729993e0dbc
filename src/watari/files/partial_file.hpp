/// A file while it is made: beside its place, locked, its blocks allocated. It takes its name when
/// all of it is durable; a run that was killed leaves it. An older file in its place hands down
/// owner and permissions, as if it were written over.
#pragma once

#include "watari/gemm/file_state.hpp"
#include "watari/storage/descriptor.hpp"

#include <cstdint>
#include <string>

namespace watari::gemm {

/// C.npy.partial, and the journal beside it.
std::string unfinished_path(const std::string& output);
std::string journal_path(const std::string& output);

class unfinished_file {
public:
    /// Opens or makes it. Throws file_error, and usage_error where another run writes it.
    explicit unfinished_file(const std::string& output);

    std::uint64_t inode() const;
    file_state state() const { return file_state::of(file_.get()); }
    /// Whether its name is not another file's by now.
    bool has_its_name() const { return is_name_of(path_, file_.get()); }

    /// Begins anew: `bytes` of it have their blocks on the disk, its header is there, and both are
    /// durable. Throws file_error.
    void allocate(std::uint64_t bytes, const std::string& header);
    /// What was written is durable.
    void sync();
    /// Gives it its name, for good. Throws file_error.
    void put_in_place();
    /// Removes it, if the name still is its own.
    void remove() { remove_own(path_, file_.get()); }

private:
    void inherit(mode_t more);

    std::string output_, path_;
    storage::descriptor file_;
};

/// Throws file_error where a disk does not have the bytes, of which an unfinished file has some.
void require_room_on_disk(const std::string& output, std::uint64_t bytes);

}  // namespace watari::gemm
