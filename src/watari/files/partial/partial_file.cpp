#include "watari/files/partial/partial_file.hpp"

#include "watari/core/error.hpp"
#include "watari/files/lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

namespace watari::files {

[[noreturn]] void cannot_write(const std::string& output, int error_number) {
    throw file_error(output + ": cannot be written: " + std::strerror(error_number));
}

namespace {

/// The longest tick of a kernel's times (CONFIG_HZ=100).
constexpr std::chrono::milliseconds tick{10};

std::string folder_of(const std::string& path) {
    return std::filesystem::path(path).parent_path().string();
}

/// Opens or creates a file, and locks it for one run at a time.
descriptor locked(const std::string& path, const std::string& output) {
    for (;;) {
        constexpr int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
        int opened = open(path.c_str(), flags);
        if (opened < 0 && errno == ENOENT)
            opened = open(path.c_str(), flags | O_CREAT | O_EXCL, 0666);
        if (opened < 0 && errno == EEXIST) continue;  // another run was faster
        if (opened < 0) cannot_write(output, errno);
        descriptor file(opened);
        struct stat status {};
        if (fstat(opened, &status) != 0 || !S_ISREG(status.st_mode))
            throw file_error(output + ": cannot be written: " + path + " is not a regular file");
        if (!try_lock(file.get(), usage::alone))
            throw usage_error(path + " is being written by another run");
        if (is_name_of(path, file.get())) return file;
        // the other run has just completed and renamed the file
    }
}

}  // namespace

std::string partial_path(const std::string& output) { return output + ".partial"; }
std::string journal_path(const std::string& output) { return partial_path(output) + ".journal"; }

void require_room_on_disk(const std::string& output, std::uint64_t bytes) {
    struct statvfs system {};
    struct stat status {};
    const std::string folder = folder_of(output);
    if (statvfs(folder.c_str(), &system) != 0) cannot_write(output, errno);
    const bool begun = stat(partial_path(output).c_str(), &status) == 0;
    const auto there = begun ? static_cast<std::uint64_t>(status.st_blocks) * 512 : 0;
    const std::uint64_t available = std::uint64_t{system.f_bavail} * system.f_frsize;
    if (bytes > available + there)
        throw file_error(output + ": not enough room: takes " + bytes_text(bytes) + ", " + folder +
                         " has " + bytes_text(available) + " free");
}

partial_file::partial_file(const std::string& output)
    : output_(output), path_(partial_path(output)), file_(locked(path_, output)) {}

file_version partial_file::version() const {
    struct stat status {};
    if (fstat(file_.get(), &status) != 0) cannot_write(output_, errno);
    return file_version::of(status);
}

std::uint64_t partial_file::inode() const { return version().inode; }

void partial_file::allocate(std::uint64_t bytes, const std::string& header, bool anew) {
    const int file = file_.get();
    const bool too_long = state().bytes > bytes;
    if ((anew || too_long) && ftruncate(file, anew ? 0 : static_cast<off_t>(bytes)) != 0)
        cannot_write(output_, errno);
    inherit(S_IRUSR | S_IWUSR);  // so that a run can resume
    int failed = 0;
    do failed = posix_fallocate(file, 0, static_cast<off_t>(bytes));
    while (failed == EINTR);
    if (failed != 0) cannot_write(output_, failed);
    if (pwrite(file, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
        cannot_write(output_, errno);
    sync();
    sync_names_beside(output_);
    header_ = header;
    bytes_ = bytes;
}

std::string partial_file::damage() const {
    if (const std::uint64_t now = state().bytes; now != bytes_)
        return "is " + std::to_string(now) + " bytes long, not " + std::to_string(bytes_);
    return bytes_of(file_.get(), 0, header_.size()) == header_ ? "" : "has another header";
}

void partial_file::sync() {
    if (fsync(file_.get()) != 0) cannot_write(output_, errno);
}

/// Copies owner and mode of an older result. What the file system or the user may not change stays
/// as it is.
void partial_file::inherit(mode_t more) {
    struct stat old {};
    if (stat(output_.c_str(), &old) != 0) return;
    const int file = file_.get();
    mode_t mode = (old.st_mode & 0777) | more;
    if (fchown(file, old.st_uid, old.st_gid) != 0 &&
        fchown(file, static_cast<uid_t>(-1), old.st_gid) != 0)
        mode &= ~static_cast<mode_t>(S_IRWXG);  // the old group is not kept
    fchmod(file, mode);
}

bool partial_file::verify(const std::function<bool()>& read_back) {
    constexpr int passes = 3;  // a file system may store our last times late
    for (int pass = 0; pass < passes; ++pass) {
        sync();
        std::this_thread::sleep_for(tick);
        const file_version before = version();
        if (!read_back()) return false;
        if (const file_version now = version();
            now == before && now.attributes == before.attributes)
            return true;
    }
    throw file_error(path_ + " was changed while it was read back, " + std::to_string(passes) +
                     " times: another process writes it");
}

void partial_file::put_in_place() {
    if (!has_its_name())
        throw file_error(path_ + " was removed or replaced while it was written: it is lost");
    inherit(0);
    if (rename(path_.c_str(), output_.c_str()) != 0) cannot_write(output_, errno);
    sync_names_beside(output_);
}

}  // namespace watari::files
