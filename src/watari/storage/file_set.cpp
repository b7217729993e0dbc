#include "watari/storage/file_set.hpp"

#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/descriptor.hpp"
#include "watari/storage/sector.hpp"
#include "watari/storage/sectors.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace watari::storage {

namespace {

constexpr std::size_t piece = 8 * stripe_bytes;

/// Whether it is there and of this size. Throws for what is there and cannot be looked at.
bool is_there(const std::string& path, std::uint64_t bytes) {
    struct stat found {};
    if (stat(path.c_str(), &found) == 0)
        return S_ISREG(found.st_mode) && static_cast<std::uint64_t>(found.st_size) == bytes;
    if (errno != ENOENT) cannot_open(path, errno);
    return false;
}

/// Space for the whole file at once, where the file system can: a full disk is found before
/// anything is written.
void reserve(int descriptor, const std::string& path, std::uint64_t bytes) {
    struct statvfs before {};
    fstatvfs(descriptor, &before);
    if (fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) == 0 || errno == EOPNOTSUPP) return;
    if (errno != ENOSPC) cannot_open(path, errno);
    throw unsupported(path + " takes " + bytes_text(bytes) + ", and its disk has " +
                      bytes_text(std::uint64_t{before.f_bavail} * before.f_frsize) +
                      " free; choose a smaller size or another folder, folder=DIR");
}

/// Gives a file without a name one that no other file has: whether it could.
bool name(int descriptor, const std::string& path) {
    const std::string self = "/proc/self/fd/" + std::to_string(descriptor);
    return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace

void make_folder(const std::string& path) {
    std::error_code problem;
    std::filesystem::create_directories(path, problem);
    if (problem) cannot_open(path, problem.value());
}

/// Has no name until it is whole: whoever is killed before leaves nothing. File systems without
/// such files give it another name first, of this process alone. The lock on the folder, which the
/// kernel lifts if its holder is killed, only spares others the same work.
bool make_whole(const std::string& path, std::uint64_t bytes,
                const std::function<void(int descriptor)>& fill) {
    if (is_there(path, bytes)) return false;
    const std::string parent = std::filesystem::path(path).parent_path();
    const descriptor folder(parent.empty() ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    flock(folder.get(), LOCK_EX);
    if (is_there(path, bytes)) return false;  // another process was faster
    const std::string partial = path + ".partial-" + std::to_string(getpid());
    const int nameless = openat(folder.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
    const descriptor file = nameless >= 0
                                ? descriptor(nameless)
                                : descriptor(partial, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC);
    try {
        reserve(file.get(), path, bytes);
        fill(file.get());
        if (fdatasync(file.get()) != 0) cannot_open(path, errno);
        if (nameless >= 0 && name(file.get(), path)) return true;
        // one of another size has that name
        if (nameless >= 0 && !name(file.get(), partial)) cannot_open(partial, errno);
        if (rename(partial.c_str(), path.c_str()) != 0) cannot_open(path, errno);
    } catch (...) {
        unlink(partial.c_str());
        throw;
    }
    return true;
}

file_set::file_set(const extent& wanted) : wanted_(wanted) {
    if (wanted.files == 0 || wanted.bytes % (wanted.files * sector_bytes) != 0 ||
        (wanted.files > 1 && wanted.bytes % (wanted.files * stripe_bytes) != 0))
        throw usage_error(
            "size: must be whole sectors of 512 bytes, with several files whole MiB "
            "in each of them");
    make_folder(wanted.folder);
    const std::string stem = wanted.folder + "/watari-" + std::to_string(wanted.bytes);
    for (std::size_t i = 0; i < wanted.files; ++i) {
        const std::string part = "-" + std::to_string(i + 1) + "of" + std::to_string(wanted.files);
        paths_.push_back(stem + (wanted.files > 1 ? part : "") + ".data");
        made_ |= make_whole(paths_.back(), file_bytes(), [&](int file) { fill(file, i); });
    }
}

file_set::file_set(const std::string& path) : paths_{path} {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) cannot_open(path, errno);
    wanted_.bytes = static_cast<std::uint64_t>(found.st_size);
}

void file_set::fill(int file, std::size_t number) const {
    const memory::buffer<std::byte> data(memory::kind::pageable, piece);
    std::vector<std::uint64_t> offsets(piece / stripe_bytes);
    for (std::uint64_t done = 0; done < file_bytes(); done += piece) {
        for (std::size_t i = 0; i < offsets.size(); ++i)
            offsets[i] = ((done / stripe_bytes + i) * wanted_.files + number) * stripe_bytes;
        sectors_on(the_cpu).write(
            {data.data(), offsets.data(), offsets.size(), stripe_bytes / sector_bytes}, 0, nullptr);
        const auto bytes =
            static_cast<std::size_t>(std::min<std::uint64_t>(piece, file_bytes() - done));
        const ssize_t written = pwrite(file, data.data(), bytes, static_cast<off_t>(done));
        if (written != static_cast<ssize_t>(bytes))
            transfer_failed(direction::write, paths_[number], done, bytes,
                            written < 0 ? -errno : written);
        // what was written must not fill the page cache
        sync_file_range(file, static_cast<off_t>(done), static_cast<off_t>(bytes),
                        SYNC_FILE_RANGE_WRITE);
    }
}

}  // namespace watari::storage
