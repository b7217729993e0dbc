#include "pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <array>

namespace watari::attach::pages {
namespace {

constexpr std::uint64_t present = std::uint64_t{1} << 63;
constexpr std::size_t pages_at_once = 512;  // 4 KiB: threads may have small stacks
constexpr int populate_read = 22;  // MADV_POPULATE_READ of Linux 5.14, which older headers lack

std::uint64_t page_size() {
    static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return size;
}

// Bytes of a page that belong to a range.
std::size_t inside(std::uint64_t page, std::uint64_t address, std::size_t size) {
    return std::min((page + 1) * page_size(), address + size) -
           std::max(page * page_size(), address);
}

}  // namespace

void map(std::uint64_t address, std::size_t size) {
    const std::uint64_t first = address / page_size() * page_size();
    madvise(reinterpret_cast<void*>(first), address + size - first, populate_read);
}

std::optional<std::size_t> unmapped(std::uint64_t address, std::size_t size) {
    const int file = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return std::nullopt;
    }
    const std::uint64_t end = (address + size + page_size() - 1) / page_size();
    std::array<std::uint64_t, pages_at_once> entries{};
    std::size_t bytes = 0;
    for (std::uint64_t page = address / page_size(); page < end;) {
        const auto count = std::min<std::uint64_t>(pages_at_once, end - page);
        const auto got = ::pread(file, entries.data(), count * sizeof entries[0],
                                 static_cast<off_t>(page * sizeof entries[0]));
        const auto known = got > 0 ? static_cast<std::uint64_t>(got) / sizeof entries[0] : 0;
        if (known == 0) {
            ::close(file);
            return std::nullopt;
        }
        for (std::uint64_t i = 0; i < known; ++i, ++page) {
            bytes += entries[i] & present ? 0 : inside(page, address, size);
        }
    }
    ::close(file);
    return bytes;
}

}  // namespace watari::attach::pages
