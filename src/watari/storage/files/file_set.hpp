/// The files of a store: made once per size, verified sector by sector whenever they are read.
///
/// A second run reads the files of the first (data_file.hpp). Several are striped in units of 1
/// MiB, so that no block is in two of them.
#pragma once

#include "watari/files/file_error.hpp"
#include "watari/storage/files/data_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace watari::storage {

inline constexpr std::size_t stripe_bytes = std::size_t{1} << 20;

/// Where and how large.
struct extent {
    std::string folder;
    std::uint64_t bytes;  ///< of all files together
    std::size_t files = 1;
    usage how = usage::shared;
};

/// Where a block of the store lies.
struct file_location {
    std::size_t file;
    std::uint64_t offset;  ///< in the file, bytes
};

/// The files by name, all of them there and of the right size.
class file_set {
public:
    /// Makes what is not there, and its folder. Throws usage_error for a size that stripes do not
    /// divide, system_error.
    explicit file_set(const extent& wanted);
    /// One file that is there, of any size. Throws system_error.
    explicit file_set(const std::string& path);

    std::uint64_t bytes() const noexcept { return wanted_.bytes; }
    std::uint64_t file_bytes() const noexcept { return wanted_.bytes / wanted_.files; }
    const std::vector<std::string>& paths() const noexcept { return paths_; }

    /// The file in use under a name; -1: the set was made of a name alone.
    int in_use(std::size_t file) const noexcept {
        return file < in_use_.size() ? in_use_[file].file.get() : -1;
    }
    std::vector<int> in_use() const;
    /// Names of files that hold nothing of ours, and can only be read. Throws system_error.
    std::vector<std::string> foreign() const;

    file_location locate(std::uint64_t offset) const noexcept {
        if (wanted_.files == 1) return {0, offset};
        const std::uint64_t stripe = offset / stripe_bytes;
        return {static_cast<std::size_t>(stripe % wanted_.files),
                stripe / wanted_.files * stripe_bytes + offset % stripe_bytes};
    }

    /// What a request of so many bytes moves there: less where the file ends.
    std::size_t expected(const file_location& at, std::size_t bytes) const noexcept {
        const std::uint64_t left = at.offset < file_bytes() ? file_bytes() - at.offset : 0;
        return left < bytes ? static_cast<std::size_t>(left) : bytes;
    }

private:
    void fill(int descriptor, std::size_t number) const;

    extent wanted_;
    std::vector<std::string> paths_;
    std::vector<data_file> in_use_;
};

}  // namespace watari::storage
