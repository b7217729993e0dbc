#include "watari/files/striped_files.hpp"

#include "watari/core/error.hpp"
#include "watari/core/parallel/on_threads.hpp"
#include "watari/files/aligned.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/files/file_error.hpp"
#include "watari/files/striped_piece.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>

namespace watari::files {

namespace {

[[noreturn]] void no_direct(const std::string& path) {
    throw unsupported("no direct I/O of " + path +
                      " (a file system in memory has none); choose another folder=DIR, or "
                      "cache=warm for the page cache");
}

descriptor open_file(const std::string& path, int flags) {
    if ((flags & O_DIRECT) == 0) return {path, flags};
    descriptor opened(open(path.c_str(), flags));
    if (opened.get() < 0 && errno == EINVAL) no_direct(path);
    if (opened.get() < 0) cannot_open(path, errno);
    return opened;
}

std::uint32_t direct_alignment(int file, const std::string& path) {
    const std::size_t unit = direct_unit_of(file, path);
    if (unit == 0) no_direct(path);
    return static_cast<std::uint32_t>(unit);
}

void require_regular(const struct stat& status, const std::string& path) {
    if (!S_ISREG(status.st_mode)) throw file_error(path + ": not a regular file");
}

void require_regular(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) cannot_open(path, errno);
    require_regular(status, path);
}

std::uint64_t regular_size_of(int file, const std::string& path) {
    struct stat status {};
    if (fstat(file, &status) != 0) throw system_error("fstat " + path, errno);
    require_regular(status, path);
    return static_cast<std::uint64_t>(status.st_size);
}

std::uint64_t size_of(int file, const std::string& path) {
    const off_t end = lseek(file, 0, SEEK_END);  // works for block devices too
    if (end < 0) throw system_error("lseek " + path, errno);
    return static_cast<std::uint64_t>(end);
}

}  // namespace

striped_files::striped_files(const file_options& options) : options_(options) {
    if (options.paths.empty()) throw usage_error("no file to serve");
    if (options.padded && (options.writable || (options.paths.size() > 1 && !options.apart)))
        throw usage_error("padded: files without stripes that are only read");
    if (options.stripe == 0 || options.stripe % page_bytes != 0)
        throw usage_error("stripes of " + bytes_text(options.stripe) +
                          ": must be whole pages of 4096");
    sizes_.resize(options.paths.size());
    for (std::size_t i = 0; i < sizes_.size(); ++i) descriptors_.emplace_back(-1);
    cpu::on_threads(options.threads, count(), [&](std::atomic<std::size_t>& next) {
        for (std::size_t i = next++; i < count(); i = next++) open_one(i);
    });
    file_bytes_ = *std::min_element(sizes_.begin(), sizes_.end());
    if (cache() == cache_state::none)
        for (std::size_t i = 0; i < count(); ++i)
            alignment_ = std::max(alignment_, direct_alignment(descriptor_of(i), path(i)));
    if (options.apart) {
        bytes_ = count() * file_room;
        return;
    }
    if (count() > 1) file_bytes_ = file_bytes_ / options.stripe * options.stripe;
    bytes_ = file_bytes_ * count();
    if (options.padded) {
        const std::uint64_t sector = std::max<std::uint64_t>(alignment_, 512);
        bytes_ = (bytes_ / sector + 2) * sector;
    }
}

void striped_files::open_one(std::size_t number) {
    if (options_.regular) require_regular(path(number));
    const bool direct = cache() == cache_state::none;
    const int flags = (writable() ? O_RDWR : O_RDONLY) | O_CLOEXEC | (direct ? O_DIRECT : 0);
    descriptors_[number] = open_file(path(number), flags);
    const int file = descriptor_of(number);
    if (number < options_.known.size())
        require_same_file(file, options_.known[number], path(number));
    sizes_[number] =
        options_.regular ? regular_size_of(file, path(number)) : size_of(file, path(number));
}

std::vector<int> striped_files::descriptors() const {
    std::vector<int> all;
    for (const descriptor& each : descriptors_) all.push_back(each.get());
    return all;
}

striped_files::piece striped_files::piece_at(std::uint64_t offset, std::size_t bytes) const {
    if (options_.apart) return {offset / file_room, offset % file_room, bytes};
    const striped_piece at = piece_of(offset, bytes, count(), options_.stripe);
    return {at.file, at.offset, at.bytes};
}

void striped_files::sync() const {
    for (std::size_t i = 0; i < count(); ++i)
        if (fdatasync(descriptor_of(i)) != 0) sync_failed(path(i), errno);
}

}  // namespace watari::files
