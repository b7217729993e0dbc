#include "watari/storage/data_file.hpp"

#include "watari/core/error.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <regex>
#include <vector>

namespace watari::storage {

namespace {

namespace fs = std::filesystem;

/// Whether it is there and of this size. Throws for what is there and cannot be looked at.
bool is_there(const std::string& path, std::uint64_t bytes) {
    struct stat found {};
    if (stat(path.c_str(), &found) == 0)
        return S_ISREG(found.st_mode) && static_cast<std::uint64_t>(found.st_size) == bytes;
    if (errno != ENOENT) cannot_open(path, errno);
    return false;
}

/// Whether the open file still has that name: whoever makes room may have been faster.
bool has_name(int descriptor, const std::string& path) {
    struct stat open {
    }, named{};
    return fstat(descriptor, &open) == 0 && stat(path.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// False if another run has it. A file system without locks has none that hinder.
bool lock(int descriptor, usage how) {
    return flock(descriptor, (how == usage::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 ||
           errno != EWOULDBLOCK;
}

struct search {
    std::optional<descriptor> file;
    bool taken = false;  ///< it is there, and another run has it, if only to remove it
};

search find(const std::string& path, std::uint64_t bytes, usage how) {
    while (is_there(path, bytes)) {
        const int flags = (how == usage::alone ? O_RDWR : O_RDONLY) | O_CLOEXEC;
        const int opened = open(path.c_str(), flags);
        if (opened < 0 && errno == ENOENT) break;
        if (opened < 0) cannot_open(path, errno);
        descriptor file(opened);
        if (!lock(opened, how)) return {{}, true};
        if (has_name(opened, path)) return {std::move(file)};
    }
    return {};
}

/// As file_set and gemm's store name them: no file of somebody else's is removed.
bool is_data_file(const std::string& name) {
    static const std::regex names(
        "watari-(\\d+(-\\d+of\\d+)?|gemm-\\d+x\\d+x\\d+-(single|double)-"
        "(rows|tiled)-\\d+)\\.data");
    return std::regex_match(name, names);
}

struct unused_file {
    std::string path;
    descriptor locked;
    std::uint64_t bytes;
    fs::file_time_type changed;
};

/// The oldest first.
std::vector<unused_file> unused_files(const std::string& folder) {
    std::vector<unused_file> all;
    std::error_code problem;
    for (const fs::directory_entry& each : fs::directory_iterator(folder, problem)) {
        const std::string path = each.path().string();
        struct stat found {};
        if (!is_data_file(each.path().filename().string())) continue;
        descriptor file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        if (file.get() < 0 || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
        if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
        all.push_back({path, std::move(file), static_cast<std::uint64_t>(found.st_blocks) * 512,
                       each.last_write_time(problem)});
    }
    std::sort(all.begin(), all.end(),
              [](const unused_file& a, const unused_file& b) { return a.changed < b.changed; });
    return all;
}

/// Space for the whole file at once, where the file system can: a full disk is found before
/// anything is written.
void reserve(int descriptor, const std::string& path, std::uint64_t bytes) {
    const std::string folder = fs::path(path).parent_path();
    while (fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) != 0) {
        if (errno == EOPNOTSUPP) return;
        if (errno != ENOSPC) cannot_open(path, errno);
        struct statvfs disk {};
        if (ftruncate(descriptor, 0) != 0 || fstatvfs(descriptor, &disk) != 0)
            cannot_open(path, errno);
        const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
        if (remove_unused(folder, bytes > free ? bytes - free : 1) > 0) continue;
        throw unsupported(path + " takes " + bytes_text(bytes) + ", and its disk has " +
                          bytes_text(free) +
                          " free; choose a smaller size or another folder, folder=DIR");
    }
}

/// Gives a file without a name one that no other file has: whether it could.
bool name(int descriptor, const std::string& path) {
    const std::string self = "/proc/self/fd/" + std::to_string(descriptor);
    return linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

/// Has no name until it is whole: whoever is killed before leaves nothing. File systems without
/// such files give it another name first, of this process alone.
descriptor make(int folder, const std::string& path, std::uint64_t bytes, usage how,
                const std::function<void(int)>& fill) {
    const std::string partial = path + ".partial-" + std::to_string(getpid());
    const int nameless = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
    descriptor file = nameless >= 0 ? descriptor(nameless)
                                    : descriptor(partial, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC);
    lock(file.get(), how);
    try {
        reserve(file.get(), path, bytes);
        fill(file.get());
        if (fdatasync(file.get()) != 0) cannot_open(path, errno);
        if (nameless >= 0 && name(file.get(), path)) return file;
        // one of another size has that name
        if (nameless >= 0 && !name(file.get(), partial)) cannot_open(partial, errno);
        if (rename(partial.c_str(), path.c_str()) != 0) cannot_open(path, errno);
    } catch (...) {
        unlink(partial.c_str());
        throw;
    }
    return file;
}

}  // namespace

data_file open_data_file(const std::string& path, std::uint64_t bytes, usage how,
                         const std::function<void(int descriptor)>& fill) {
    search found = find(path, bytes, how);
    if (found.file) return {std::move(*found.file), false};
    // whoever makes a file or removes some has the folder; none of them is seen half done
    const std::string parent = fs::path(path).parent_path();
    const descriptor folder(parent.empty() ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    flock(folder.get(), LOCK_EX);
    found = find(path, bytes, how);
    if (found.taken) throw error(path + ": another run has it in use; choose another folder=DIR");
    if (found.file) return {std::move(*found.file), false};
    return {make(folder.get(), path, bytes, how, fill), true};
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
    if (problem) cannot_open(path, problem.value());
}

}  // namespace watari::storage
