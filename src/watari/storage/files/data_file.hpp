/// Files of test data: made once, found again by name and size, removed when their space is needed.
///
/// A file is written or removed only if its content proves it ours (test_data.hpp). Links are not
/// followed.
///
/// A folder of test files is a cache: a run makes the files that it needs. If the disk is full, the
/// files that no run uses are removed, the oldest first. A user of a file holds a lock on it, which
/// the kernel releases if the holder is killed.
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
    files::descriptor file;  ///< keeps the file in use until it is closed
    bool made;               ///< by this call
};

/// Opens a file of `bytes` bytes, or makes it: `fill` writes all of it, and the file gets its name
/// once it is durable. Throws system_error; unsupported if the disk has no room; error if another
/// run has the file in use and one of the two usages is alone; file_error if a link, a folder or
/// other data have the name. Other data of the right size may be used shared.
data_file open_data_file(const std::string& path, std::uint64_t bytes, usage how,
                         const std::function<void(int descriptor)>& fill);

/// Removes test files `watari-*.data` that are not in use, the oldest first, until `bytes` bytes
/// are freed; removes none if all together have fewer. Returns the bytes that were freed.
std::uint64_t remove_unused(const std::string& folder, std::uint64_t bytes);

/// Makes a folder and its parents. Throws system_error.
void make_folder(const std::string& path);

}  // namespace watari::storage
