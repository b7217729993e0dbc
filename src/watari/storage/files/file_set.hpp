/// The test files of a store: made once per size, verified sector by sector whenever they are read.
///
/// A later run reuses the files of an earlier one (data_file.hpp). Several files are striped in
/// units of 1 MiB, so that no block is in two files. Engines open them as files::striped_files.
#pragma once

#include "watari/files/file_error.hpp"
#include "watari/storage/files/data_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace watari::storage {

inline constexpr std::size_t stripe_bytes = std::size_t{1} << 20;

/// The folders, size and number of the files. A folder that is named twice has two files for one of
/// the others, and so twice the share of a faster disk.
struct extent {
    std::vector<std::string> folders;  ///< each has one file in turn
    std::uint64_t bytes;               ///< of all files together
    std::size_t files = 1;
    usage how = usage::shared;
};

/// File `number` of `count` files of test data over which a store is striped, open for writing.
struct file_of_set {
    int descriptor;
    std::string path;
    std::uint64_t bytes;
    std::size_t number = 0, count = 1;
};

/// Writes the test data of a file. Throws file_error.
void write_test_data(const file_of_set& to);

/// Writes the whole sectors of a store in memory, in this thread: untouched pages are placed near
/// it.
void write_test_data(std::span<std::byte> memory);

/// The files by name; each exists and has the right size.
class file_set {
public:
    /// Makes the missing files, and their folder. Throws usage_error if the size is not whole
    /// stripes of each file (for one file: whole sectors), and what open_data_file throws.
    explicit file_set(const extent& wanted);

    const std::vector<std::string>& paths() const noexcept { return paths_; }

    /// Descriptors of the files, which keep them in use.
    std::vector<int> in_use() const;
    /// Folders of different names on one device, "a and b"; empty if each has its own. Throws
    /// system_error.
    std::string on_one_device() const;
    /// Names of files that hold other data than test data; they can only be read. Throws
    /// system_error.
    std::vector<std::string> foreign() const;

private:
    std::uint64_t file_bytes() const noexcept { return wanted_.bytes / wanted_.files; }

    extent wanted_;
    std::vector<std::string> paths_;
    std::vector<data_file> in_use_;
};

}  // namespace watari::storage
