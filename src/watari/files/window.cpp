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

/// MADV_POPULATE_WRITE and MADV_COLLAPSE, which older headers do not have.
constexpr int populate_write = 23, collapse = 25;
constexpr std::size_t large_page = std::size_t{1} << 21;

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
    : path_(path),
      page_(page_size()),
      before_(at % large_page),
      mapped_((before_ + bytes + large_page - 1) / large_page * large_page) {
    const std::uint64_t first = at - before_, end = first + mapped_;
    if (file_state::of(file).bytes < end && ftruncate(file, static_cast<off_t>(end)) != 0)
        cannot_fill(path, errno);
    void* const reserved = mmap(nullptr, mapped_ + large_page, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) cannot_fill(path, errno);
    reserved_ = static_cast<std::byte*>(reserved);
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(reserved) % large_page;
    data_ = reserved_ + (large_page - beyond) % large_page;
    if (mmap(data_, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             static_cast<off_t>(first)) == MAP_FAILED) {
        const int error_number = errno;
        munmap(reserved_, mapped_ + large_page);
        cannot_fill(path, error_number);
    }
}

window::~window() { munmap(reserved_, mapped_ + large_page); }

std::size_t window::large_pages() const { return mapped_ / large_page; }

/// The kernel collapses what is there to a large page: this needs at least one small page.
void window::ask_for_large(std::size_t number) const {
    std::byte* const begin = data_ + number * large_page;
    if (madvise(begin, page_, populate_write) == 0) madvise(begin, large_page, collapse);
}

std::span<std::byte> window::part(std::size_t at, std::size_t bytes) const {
    const std::size_t begin = before_ + at, first = begin / page_ * page_;
    while (madvise(data_ + first, begin + bytes - first, populate_write) != 0) {
        if (errno == EINTR || errno == EAGAIN) continue;
        cannot_fill(path_, errno == EFAULT ? ENOSPC : errno);  // writing it would raise SIGBUS
    }
    return {data_ + begin, bytes};
}

}  // namespace watari::files
