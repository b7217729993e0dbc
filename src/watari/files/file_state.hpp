/// The identity of a file and of its content, as far as it is known without reading the file.
#pragma once

#include "watari/core/error.hpp"
#include "watari/files/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

namespace watari::files {

/// Size and time of change.
struct file_state {
    std::uint64_t bytes = 0;
    std::int64_t changed = 0;  ///< nanoseconds since 1970

    static file_state of(const struct stat& status) {
        return {static_cast<std::uint64_t>(status.st_size),
                status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
    }
    static file_state of(int file) {
        struct stat status {};
        fstat(file, &status);
        return of(status);
    }
    bool operator==(const file_state&) const = default;
};

/// Identifies the file among those with the same name, size and time of change.
struct file_version : file_state {
    std::uint64_t inode = 0, device = 0;
    std::int64_t attributes = 0;  ///< nanoseconds since 1970 (ctime): owner, mode, links, content

    static file_version of(const struct stat& status) {
        return {file_state::of(status), status.st_ino, status.st_dev,
                status.st_ctim.tv_sec * std::int64_t{1'000'000'000} + status.st_ctim.tv_nsec};
    }
};

/// Reads `count` bytes of a file from `at` on; fewer if it ends. Throws file_error with the text of
/// errno.
inline std::string bytes_of(int file, std::uint64_t at, std::size_t count) {
    std::string bytes(count, '\0');
    std::size_t done = 0;
    while (done < count) {
        const ssize_t more =
            pread(file, bytes.data() + done, count - done, static_cast<off_t>(at + done));
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) throw file_error(std::strerror(errno));
        if (more == 0) break;
        done += static_cast<std::size_t>(more);
    }
    bytes.resize(done);
    return bytes;
}

/// Whether anything has this name.
inline bool is_there(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0;
}

/// Whether a name refers to an open file.
inline bool is_name_of(const std::string& path, int file) {
    struct stat named {
    }, own{};
    return stat(path.c_str(), &named) == 0 && fstat(file, &own) == 0 &&
           named.st_ino == own.st_ino && named.st_dev == own.st_dev;
}

/// Makes new names in a file's folder survive a power cut, if the file system supports it.
inline void sync_names_beside(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path();
    const descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.get() >= 0) fsync(opened.get());
}

/// Removes a name if it refers to an open file.
inline void remove_own(const std::string& path, int file) {
    if (is_name_of(path, file)) unlink(path.c_str());
}

}  // namespace watari::files
