/// The files of a store, open: past the page cache or through it, and how much of them is in it.
#pragma once

#include "watari/files/descriptor.hpp"
#include "watari/storage/files/file_set.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace watari::storage {

/// What lies between the program and the disk. none: direct I/O. cold: the page cache, empty of
/// these files. warm: the page cache, with all of them in it.
enum class cache_state { none, cold, warm };

class open_files {
public:
    /// Throws unsupported where direct I/O was asked for and cannot be had, system_error.
    open_files(const file_set& files, files::direction direction, cache_state cache);

    const file_set& files() const noexcept { return *files_; }
    cache_state cache() const noexcept { return cache_; }
    int descriptor_of(std::size_t file) const noexcept { return descriptors_[file].get(); }
    const std::string& path(std::size_t file) const noexcept { return files_->paths()[file]; }

    /// Bytes that offsets and sizes of direct I/O must be multiples of. Throws unsupported where
    /// there is no direct I/O.
    std::size_t direct_unit() const;

    /// Throws unsupported if direct I/O cannot move blocks of this size here.
    void require_block(std::size_t bytes) const;

    /// Brings the page cache into the state that was asked for. Throws unsupported where it does
    /// not come about.
    void prepare() const;

    /// Bytes of the files in the page cache.
    std::size_t cached() const;

    /// Waits until what was written is durable.
    void sync() const;

private:
    const file_set* files_;
    cache_state cache_;
    std::vector<files::descriptor> descriptors_;
};

}  // namespace watari::storage
