/// Open files or block devices that hold a namespace together, piece by piece in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace watari::files {

struct file_options {
    std::vector<std::string> paths;
    std::vector<int> known{};  ///< the same files, open already; empty: whichever have the names
    bool writable = false;
    bool direct = true;   ///< past the kernel's page cache (O_DIRECT)
    bool padded = false;  ///< one file that is only read: zeros follow, so that whole sectors
                          ///< around its last bytes can be read
    bool uring = true;    ///< io_uring where it can be had; else pread and pwrite
    std::size_t stripe =
        1 << 17;  ///< bytes of each file in turn, whole pages; one file has no stripes
};

class striped_files {
public:
    /// Throws usage_error, unsupported (no direct I/O there), system_error.
    explicit striped_files(const file_options& options);
    striped_files(const striped_files&) = delete;
    striped_files& operator=(const striped_files&) = delete;
    ~striped_files();

    const std::vector<int>& descriptors() const { return descriptors_; }
    const std::string& path(std::size_t file) const { return paths_[file]; }
    /// What all files hold together, in whole stripes where there are several; of `padded` files
    /// with their zeros.
    std::uint64_t bytes() const { return bytes_; }
    /// Direct I/O wants offsets and sizes that are multiples of this.
    std::uint32_t alignment() const { return alignment_; }

    /// Is what a read or write gave back short because the file ends there? Else it goes on.
    bool ends(std::size_t moved) const { return moved == 0 || moved % alignment_ != 0; }

    /// Whether what lies at this offset of the one file are the zeros behind its end.
    bool is_padding(std::uint64_t offset) const { return offset >= end_; }

    /// A run of bytes in one file.
    struct piece {
        std::size_t file;
        std::uint64_t offset;
        std::size_t bytes;
    };
    /// The piece that begins at `offset` of the namespace, `bytes` long at most.
    piece piece_at(std::uint64_t offset, std::size_t bytes) const;

private:
    void open_one(std::size_t number, const file_options& options);

    std::vector<std::string> paths_;
    std::vector<int> descriptors_;
    std::uint64_t bytes_ = 0;
    std::uint64_t end_ = ~std::uint64_t{0};  ///< where zeros begin
    std::uint32_t alignment_ = 1;
    std::size_t stripe_;
};

}  // namespace watari::files
