#include "pages.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace attach::prefetched {
namespace {

constexpr std::uint64_t present = std::uint64_t{1} << 63;  // Linux, admin-guide/mm/pagemap.rst
constexpr std::uint64_t looks = 16;

bool is_mapped(int pagemap, std::uint64_t page) {
    std::uint64_t entry = 0;
    const auto at = static_cast<off_t>(page * sizeof entry);
    return pread(pagemap, &entry, sizeof entry, at) == sizeof entry && entry & present;
}

}  // namespace

bool is_any_mapped(std::uint64_t address, std::size_t bytes) {
    static const auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t first = address / size, last = (address + bytes - 1) / size;
    const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (pagemap < 0) return false;
    bool found = false;
    for (std::uint64_t i = 0; i < looks && !found; ++i)
        found = is_mapped(pagemap, first + (last - first) * i / (looks - 1));
    close(pagemap);
    return found;
}

}  // namespace attach::prefetched
