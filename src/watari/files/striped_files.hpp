/// Open files or block devices that are read and written as one namespace, stripe by stripe in
/// turn, or one after the other.
#pragma once

#include "watari/files/descriptor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace watari::files {

/// The cache between the program and the disk. none: direct I/O (O_DIRECT). cold: the page cache,
/// empty of these files. warm: the page cache, with all of them in it (page_cache.hpp).
enum class cache_state { none, cold, warm };

/// Bytes of the namespace that each file has if files are apart: more than a file has.
inline constexpr std::uint64_t file_room = std::uint64_t{1} << 44;

struct file_options {
    std::vector<std::string> paths{};
    std::vector<int> known{};  ///< the same files, already open; empty: no check
    bool writable = false;
    cache_state cache = cache_state::none;
    bool padded = false;   ///< one file, or files apart, only read: zeros follow, so that whole
                           ///< sectors around the last bytes can be read
    bool apart = false;    ///< files of any size: file i begins at i x file_room; no stripes
    bool regular = false;  ///< refuses devices, and pipes: to open one waits for its writer
    unsigned threads = 1;  ///< that open the files
    std::size_t stripe =
        1 << 17;  ///< bytes of each file in turn, whole pages; one file has no stripes
};

class striped_files {
public:
    /// Throws usage_error, unsupported (no direct I/O there), file_error (not regular),
    /// system_error.
    explicit striped_files(const file_options& options);

    std::size_t count() const { return descriptors_.size(); }
    int descriptor_of(std::size_t file) const { return descriptors_[file].get(); }
    std::vector<int> descriptors() const;
    const std::string& path(std::size_t file) const { return options_.paths[file]; }
    bool writable() const { return options_.writable; }
    cache_state cache() const { return options_.cache; }

    /// Bytes of all files together, in whole stripes if there are several; with the zeros of a
    /// `padded` file.
    std::uint64_t bytes() const { return bytes_; }
    /// Bytes of each file in turn; 0: no stripes.
    std::size_t stripe() const { return count() > 1 && !options_.apart ? options_.stripe : 0; }
    /// Bytes of one file, without zeros.
    std::uint64_t file_bytes(std::size_t file = 0) const {
        return options_.apart ? sizes_[file] : file_bytes_;
    }
    /// Direct I/O requires offsets and sizes that are multiples of this; 1 through the page cache.
    std::uint32_t alignment() const { return alignment_; }

    /// Whether a short read or write of `moved` bytes means the end of the file; else the caller
    /// continues.
    bool ends(std::size_t moved) const { return moved == 0 || moved % alignment_ != 0; }

    /// Whether this offset of a file lies in the zeros behind its end.
    bool is_padding(std::size_t file, std::uint64_t offset) const {
        return options_.padded && offset >= file_bytes(file);
    }

    /// A run of bytes in one file.
    struct piece {
        std::size_t file;
        std::uint64_t offset;
        std::size_t bytes;
    };
    /// The piece that begins at `offset` of the namespace, `bytes` long at most.
    piece piece_at(std::uint64_t offset, std::size_t bytes) const;

    /// Bytes that a request for this piece moves: fewer where the file ends.
    std::size_t expected(const piece& at) const {
        const std::uint64_t end = file_bytes(at.file);
        const std::uint64_t left = at.offset < end ? end - at.offset : 0;
        return std::min<std::uint64_t>(left, at.bytes);
    }

    /// Waits until what was written is durable. Throws system_error.
    void sync() const;

private:
    void open_one(std::size_t number);

    file_options options_;
    std::vector<descriptor> descriptors_;
    std::vector<std::uint64_t> sizes_;
    std::uint64_t bytes_ = 0, file_bytes_ = 0;
    std::uint32_t alignment_ = 1;
};

}  // namespace watari::files
