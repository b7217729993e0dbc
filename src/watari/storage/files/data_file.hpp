/// Files of test data: made once, found again by name and size, removed when their room is wanted.
///
/// A file is written or removed only if its content proves it ours (test_data.hpp). Links are not
/// followed.
///
/// A folder of them is a cache: what a run needs is made, and where the disk is full those go that
/// no run has in use, the oldest first. Whoever uses one has a lock on it, which the kernel lifts
/// if its holder is killed.
#pragma once

#include "watari/files/descriptor.hpp"
#include "watari/files/lock.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace watari::storage {

/// shared: read by several runs. alone: written by one.
using files::usage;

struct data_file {
    files::descriptor file;  ///< in use until it is closed; of no more use than that
    bool made;               ///< here and now
};

/// A file of so many bytes, found or made by `fill`, which writes all of it; it has this name once
/// it is durable. Throws system_error, unsupported where the disk has no room, error where it is to
/// be used alone and another run has it, or the other way round, and file_error where a link, a
/// folder or other data have the name: other data of the right size may be used shared.
data_file open_data_file(const std::string& path, std::uint64_t bytes, usage how,
                         const std::function<void(int descriptor)>& fill);

/// Removes test files `watari-*.data` that are not in use, the oldest first, until their bytes are
/// as many as these; none of them if all are fewer. Returns what was freed, bytes.
std::uint64_t remove_unused(const std::string& folder, std::uint64_t bytes);

/// A folder and those above it. Throws system_error.
void make_folder(const std::string& path);

}  // namespace watari::storage
