#include "watari/files/file_error.hpp"

#include "watari/core/error.hpp"

#include <sys/stat.h>
#include <cerrno>

namespace watari::files {

namespace {

struct advice {
    int error_number;
    const char* text;
};

constexpr advice table[] = {
    {EACCES, "no permission; name a folder of your own, folder=DIR"},
    {EPERM, "no permission; name a folder of your own, folder=DIR"},
    {EROFS, "the file system is read-only; name another folder, folder=DIR"},
    {ENOSPC, "the disk is full; choose a smaller size or another folder, folder=DIR"},
    {EDQUOT, "the quota is used up; choose a smaller size or another folder, folder=DIR"},
    {EFBIG, "larger than a file may be here; choose a smaller size"},
    {EINVAL, "direct I/O of this file needs another alignment of block and memory"},
    {EIO, "the disk reports an error"},
};

std::string with_advice(const std::string& text, int error_number) {
    for (const advice& row : table)
        if (row.error_number == error_number) return text + ": " + row.text;
    return text;
}

}  // namespace

void cannot_open(const std::string& path, int error_number) {
    throw system_error(with_advice(path, error_number), error_number);
}

void sync_failed(const std::string& path, int error_number) {
    throw system_error(sync_text(path, error_number), error_number);
}

void transfer_failed(direction direction, const std::string& path, std::uint64_t offset,
                     std::size_t bytes, ssize_t result) {
    const std::string text = transfer_text(direction, path, offset, bytes, result);
    if (result < 0) throw system_error(text, static_cast<int>(-result));
    throw error(text);
}

std::string sync_text(const std::string& path, int error_number) {
    return with_advice("fdatasync of " + path, error_number);
}

std::string transfer_text(direction direction, const std::string& path, std::uint64_t offset,
                          std::size_t bytes, ssize_t result) {
    const std::string text = std::string(direction == direction::read ? "read" : "write") + " of " +
                             std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                             " of " + path;
    if (result < 0) return with_advice(text, static_cast<int>(-result));
    const std::string moved = text + ": only " + std::to_string(result) + " bytes";
    return direction == direction::read
               ? moved + "; the file is shorter than it was: was it cut while in use?"
               : moved + "; is the disk full?";
}

void require_same_file(int opened, int known, const std::string& path) {
    struct stat one {
    }, other{};
    if (known >= 0 && (fstat(opened, &one) != 0 || fstat(known, &other) != 0 ||
                       one.st_dev != other.st_dev || one.st_ino != other.st_ino))
        throw file_error(path + ": another file has this name now; try again");
}

}  // namespace watari::files
