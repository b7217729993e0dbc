#include "watari/files/striped_files.hpp"

#include "watari/core/error.hpp"
#include "watari/files/aligned.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/files/file_error.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <limits>

namespace watari::files {

namespace {

std::uint32_t direct_alignment(int file, const std::string& path) {
    const std::size_t unit = direct_unit_of(file, path);
    if (unit == 0) throw unsupported(path + ": there is no direct I/O of it (ask for direct=no)");
    return static_cast<std::uint32_t>(unit);
}

std::uint64_t size_of(int file, const std::string& path) {
    const off_t end = lseek(file, 0, SEEK_END);  // of block devices too
    if (end < 0) throw system_error("lseek " + path, errno);
    return static_cast<std::uint64_t>(end);
}

}  // namespace

striped_files::striped_files(const file_options& options)
    : paths_(options.paths), stripe_(options.stripe) {
    if (options.paths.empty()) throw usage_error("no file to serve");
    if (options.padded && (options.writable || options.paths.size() > 1))
        throw usage_error("padded: one file that is only read");
    if (stripe_ == 0 || stripe_ % page_bytes != 0)
        throw usage_error("stripes of " + bytes_text(stripe_) + ": must be whole pages of 4096");
    bytes_ = std::numeric_limits<std::uint64_t>::max();
    try {
        for (std::size_t i = 0; i < paths_.size(); ++i) open_one(i, options);
    } catch (...) {
        for (const int file : descriptors_) close(file);
        throw;
    }
    if (options.padded) {
        const std::uint64_t sector = std::max<std::uint64_t>(alignment_, 512);
        end_ = bytes_;
        bytes_ = (bytes_ / sector + 2) * sector;
    }
    if (descriptors_.size() > 1) bytes_ = bytes_ / stripe_ * stripe_ * descriptors_.size();
}

void striped_files::open_one(std::size_t number, const file_options& options) {
    const std::string& path = paths_[number];
    const int flags = (options.writable ? O_RDWR : O_RDONLY) | O_CLOEXEC;
    const int file = open(path.c_str(), flags | (options.direct ? O_DIRECT : 0));
    if (file < 0 && errno == EINVAL && options.direct)
        throw unsupported(path + ": its file system has no direct I/O (ask for direct=no)");
    if (file < 0) throw system_error("open " + path, errno);
    descriptors_.push_back(file);
    if (number < options.known.size()) require_same_file(file, options.known[number], path);
    bytes_ = std::min(bytes_, size_of(file, path));
    if (options.direct) alignment_ = std::max(alignment_, direct_alignment(file, path));
}

striped_files::~striped_files() {
    for (const int file : descriptors_) close(file);
}

striped_files::piece striped_files::piece_at(std::uint64_t offset, std::size_t bytes) const {
    const std::size_t files = descriptors_.size();
    if (files == 1) return {0, offset, bytes};
    const std::uint64_t stripe = offset / stripe_, within = offset % stripe_;
    return {static_cast<std::size_t>(stripe % files), stripe / files * stripe_ + within,
            std::min<std::size_t>(bytes, stripe_ - within)};
}

}  // namespace watari::files
