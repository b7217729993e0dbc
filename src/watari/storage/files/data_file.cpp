#include "watari/storage/files/data_file.hpp"

#include "watari/core/error.hpp"
#include "watari/storage/files/test_data.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

namespace watari::storage {

namespace {

namespace fs = std::filesystem;

/// A name in an open folder, so that the folder cannot be replaced meanwhile.
struct spot {
    std::string path;  ///< for messages
    std::string name;
    files::descriptor folder;

    explicit spot(const std::string& full)
        : path(full),
          name(fs::path(full).filename()),
          folder(parent_of(full), O_PATH | O_DIRECTORY | O_CLOEXEC) {}

    static std::string parent_of(const std::string& full) {
        const std::string parent = fs::path(full).parent_path();
        return parent.empty() ? "." : parent;
    }
    /// openat(2), never through a link, nor waiting for the other end of a pipe.
    int open(int flags) const {
        return openat(folder.get(), name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    }
    bool look(struct stat& found) const {
        return fstatat(folder.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
    }
    /// Whether the open file still has that name: another process may have removed it to free
    /// space.
    bool is_of(int descriptor) const {
        struct stat open {
        }, named{};
        return fstat(descriptor, &open) == 0 && look(named) && open.st_dev == named.st_dev &&
               open.st_ino == named.st_ino;
    }
};

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
    throw file_error(path + reason +
                     ", and no test file: it is left as it is; move it away, or choose another "
                     "folder, folder=DIR");
}

struct search {
    std::optional<files::descriptor> file;
    bool taken = false;     ///< it exists, but another run has it, perhaps to remove it
    bool outdated = false;  ///< a test file of another size has the name
};

/// Looks for the file of this name and size. Throws file_error if the name belongs to anything but
/// a test file, unless it is a file of this size that will only be read.
search find(const spot& at, std::uint64_t bytes, usage how) {
    for (struct stat found{}; at.look(found);) {
        if (!S_ISREG(found.st_mode))
            refuse(at.path, S_ISLNK(found.st_mode)   ? " is a symbolic link"
                            : S_ISDIR(found.st_mode) ? " is a folder"
                                                     : " is no ordinary file");
        const auto size = static_cast<std::uint64_t>(found.st_size);
        const bool fits = size == bytes;
        const int opened = at.open(fits && how == usage::alone ? O_RDWR : O_RDONLY);
        if (opened < 0 && (errno == ENOENT || errno == ELOOP || errno == ENXIO)) continue;
        if (opened < 0) files::cannot_open(at.path, errno);
        files::descriptor file(opened);
        if (fits && !files::try_lock(opened, how)) return {{}, true};
        if (!at.is_of(opened)) continue;
        if (fits && how == usage::shared) return {std::move(file)};
        if (!is_test_data(opened, size, at.path)) refuse(at.path, " holds other data");
        if (fits) return {std::move(file)};
        return {{}, false, true};
    }
    if (errno != ENOENT) files::cannot_open(at.path, errno);
    return {};
}

/// Whether a name begins and ends like that of a test file: no other file is even opened.
bool may_be_data_file(const std::string& name) {
    return name.starts_with("watari-") && name.ends_with(".data");
}

struct unused_file {
    std::string path;
    files::descriptor locked;
    std::uint64_t bytes;
    fs::file_time_type changed;
};

/// Whether the file is a test file that no process uses; false if it cannot be read.
bool is_unused(const spot& at, int file) {
    struct stat found {};
    if (file < 0 || fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) return false;
    // without locks on this file system it may be in use
    if (!files::is_alone(file) || !at.is_of(file)) return false;
    try {
        return is_test_data(file, static_cast<std::uint64_t>(found.st_size), at.path);
    } catch (const error&) {
        return false;
    }
}

/// Returns the unused test files of a folder, the oldest first.
std::vector<unused_file> unused_files(const std::string& folder) {
    std::vector<unused_file> all;
    std::error_code problem;
    for (const fs::directory_entry& each : fs::directory_iterator(folder, problem)) {
        if (!may_be_data_file(each.path().filename().string())) continue;
        const spot at(each.path().string());
        files::descriptor file(at.open(O_RDWR));
        struct stat found {};
        if (!is_unused(at, file.get()) || fstat(file.get(), &found) != 0) continue;
        all.push_back({at.path, std::move(file), static_cast<std::uint64_t>(found.st_blocks) * 512,
                       each.last_write_time(problem)});
    }
    std::sort(all.begin(), all.end(),
              [](const unused_file& a, const unused_file& b) { return a.changed < b.changed; });
    return all;
}

/// Reserves space for the whole file, if the file system can: a full disk is detected before
/// anything is written. Removes unused test files if there is too little space.
void reserve(int descriptor, const std::string& path, std::uint64_t bytes) {
    const std::string folder = fs::path(path).parent_path();
    while (fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) != 0) {
        if (errno == EOPNOTSUPP) return;
        if (errno != ENOSPC) files::cannot_open(path, errno);
        struct statvfs disk {};
        if (ftruncate(descriptor, 0) != 0 || fstatvfs(descriptor, &disk) != 0)
            files::cannot_open(path, errno);
        const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
        if (remove_unused(folder, bytes > free ? bytes - free : 1) > 0) continue;
        throw unsupported(path + " takes " + bytes_text(bytes) + ", and its disk has " +
                          bytes_text(free) +
                          " free; choose a smaller size or another folder, folder=DIR");
    }
}

/// Gives a nameless file its name, unless another file has that name; returns whether it did.
bool name(int descriptor, const spot& at) {
    const std::string self = "/proc/self/fd/" + std::to_string(descriptor);
    return linkat(AT_FDCWD, self.c_str(), at.folder.get(), at.name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

/// Makes a new file with a temporary name in the folder of `at`.
files::descriptor make_partial(const spot& at, std::string& partial) {
    const std::string own = at.name + ".partial-" + std::to_string(getpid());
    for (int number = 0;; ++number) {  // a killed process may have had the same number
        partial = own + "-" + std::to_string(number);
        const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        const int made = openat(at.folder.get(), partial.c_str(), flags, 0644);
        if (made >= 0) return files::descriptor(made);
        if (errno != EEXIST) files::cannot_open(at.path, errno);
    }
}

/// Makes the file. It has no name until it is complete, so that a killed process leaves nothing. On
/// a file system without nameless files it first has a temporary name of this process.
files::descriptor make(const spot& at, std::uint64_t bytes, usage how, bool outdated,
                       const std::function<void(int)>& fill) {
    const int folder = at.folder.get();
    std::string partial;
    const int nameless = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
    files::descriptor file =
        nameless >= 0 ? files::descriptor(nameless) : make_partial(at, partial);
    files::try_lock(file.get(), how);
    try {
        reserve(file.get(), at.path, bytes);
        fill(file.get());
        if (fdatasync(file.get()) != 0) files::sync_failed(at.path, errno);
        if (outdated) unlinkat(folder, at.name.c_str(), 0);
        const bool named =
            nameless >= 0 ? name(file.get(), at)
                          : renameat2(folder, partial.c_str(), folder, at.name.c_str(),
                                      RENAME_NOREPLACE) == 0 ||
                                (errno == EINVAL &&
                                 renameat(folder, partial.c_str(), folder, at.name.c_str()) == 0);
        if (!named) files::cannot_open(at.path, errno);
    } catch (...) {
        if (!partial.empty()) unlinkat(folder, partial.c_str(), 0);
        throw;
    }
    return file;
}

}  // namespace

data_file open_data_file(const std::string& path, std::uint64_t bytes, usage how,
                         const std::function<void(int descriptor)>& fill) {
    const spot at(path);
    search found = find(at, bytes, how);
    if (found.file) return {std::move(*found.file), false};
    // a run that makes or removes files locks the folder: others see no intermediate state
    const files::descriptor folder(spot::parent_of(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    files::lock(folder.get());
    found = find(at, bytes, how);
    if (found.taken) throw error(path + ": another run has it in use; choose another folder=DIR");
    if (found.file) return {std::move(*found.file), false};
    return {make(at, bytes, how, found.outdated, fill), true};
}

std::uint64_t remove_unused(const std::string& folder, std::uint64_t bytes) {
    const std::vector<unused_file> files = unused_files(folder.empty() ? "." : folder);
    std::uint64_t all = 0, freed = 0;
    for (const unused_file& each : files) all += each.bytes;
    if (all < bytes) return 0;
    for (const unused_file& each : files)
        if (freed < bytes && unlink(each.path.c_str()) == 0) freed += each.bytes;
    return freed;
}

void make_folder(const std::string& path) {
    std::error_code problem;
    fs::create_directories(path, problem);
    if (problem) files::cannot_open(path, problem.value());
}

}  // namespace watari::storage
