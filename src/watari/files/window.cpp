#include "watari/files/window.hpp"

#include "watari/core/error.hpp"
#include "watari/files/file_state.hpp"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace watari::files {

namespace {

constexpr int populate_write = 23;  ///< MADV_POPULATE_WRITE, which older headers do not have

[[noreturn]] void cannot_fill(const std::string& path, int error_number) {
    throw file_error(path + ": cannot be written: " + std::strerror(error_number));
}

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

bool kernel_populates() {
    static const bool it_does = [] {
        const std::size_t page = page_size();
        void* own = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (own == MAP_FAILED) return false;
        const bool done = madvise(own, page, populate_write) == 0;
        munmap(own, page);
        return done;
    }();
    return it_does;
}

}  // namespace

bool window::suits(const std::string& path) {
    struct statfs system {};
    return statfs(path.c_str(), &system) == 0 && system.f_type == TMPFS_MAGIC && kernel_populates();
}

window::window(int file, const std::string& path, std::uint64_t at, std::size_t bytes)
    : path_(path), page_(page_size()), before_(at % page_), mapped_(before_ + bytes) {
    const std::uint64_t end = at + bytes;
    if (file_state::of(file).bytes < end && ftruncate(file, static_cast<off_t>(end)) != 0)
        cannot_fill(path, errno);
    void* mapped = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                        static_cast<off_t>(at - before_));
    if (mapped == MAP_FAILED) cannot_fill(path, errno);
    data_ = static_cast<std::byte*>(mapped);
}

window::~window() { munmap(data_, mapped_); }

std::span<std::byte> window::part(std::size_t at, std::size_t bytes) const {
    const std::size_t begin = before_ + at, first = begin / page_ * page_;
    while (madvise(data_ + first, begin + bytes - first, populate_write) != 0) {
        if (errno == EINTR || errno == EAGAIN) continue;
        cannot_fill(path_, errno == EFAULT ? ENOSPC : errno);  // it would be a SIGBUS
    }
    return {data_ + begin, bytes};
}

}  // namespace watari::files
