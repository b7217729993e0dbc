#include "watari/memory/host.hpp"

#include "watari/core/error.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace watari::memory::host {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The number that stands behind `key` in a file of the kernel's (an empty key: at its start);
/// `otherwise` if there is none.
std::size_t number_in(const char* path, std::string_view key, std::size_t otherwise) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key)) continue;
        const std::size_t digits = line.find_first_of("0123456789", key.size());
        if (digits == line.npos) return otherwise;
        return std::strtoull(line.c_str() + digits, nullptr, 10);
    }
    return otherwise;
}

void advise(void* data, std::size_t bytes, huge_pages thp) {
    if (thp == huge_pages::as_set) return;
    const int advice = thp == huge_pages::always ? MADV_HUGEPAGE : MADV_NOHUGEPAGE;
    if (madvise(data, bytes, advice) == 0) return;
    if (errno == EINVAL) throw unsupported("this kernel has no transparent huge pages");
    throw system_error("madvise", errno);
}

}  // namespace

std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

std::size_t available(int) {
    constexpr std::size_t unknown = unlimited / 1024;
    const std::size_t free = number_in("/proc/meminfo", "MemAvailable:", unknown) * 1024;
    const std::size_t limit = number_in("/sys/fs/cgroup/memory.max", "", unlimited);
    if (limit == unlimited) return free;
    const std::size_t used = number_in("/sys/fs/cgroup/memory.current", "", 0);
    return std::min(free, limit > used ? limit - used : 0);
}

void bind(void* data, std::size_t bytes, int node) {
    constexpr std::size_t word = 8 * sizeof(unsigned long);
    const auto bit = static_cast<std::size_t>(node);
    std::vector<unsigned long> mask(bit / word + 1);
    mask[bit / word] = 1UL << (bit % word);
    // the kernel reads maxnode - 1 bits
    if (syscall(SYS_mbind, data, bytes, MPOL_BIND, mask.data(), mask.size() * word + 1, 0) == 0)
        return;
    if (errno == EINVAL) throw unsupported("no memory on NUMA node " + std::to_string(node));
    if (errno == ENOSYS || errno == EPERM)
        throw unsupported("mbind is not allowed here, memory cannot be bound to a NUMA node");
    throw system_error("mbind", errno);
}

void* allocate(std::size_t bytes, const placement& how) {
    const std::size_t alignment = bytes >= huge_page ? huge_page : page_size();
    // whole pages, so that binding and advice touch no neighbour
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* data = std::aligned_alloc(alignment, rounded);
    if (!data) throw beyond_memory("malloc", bytes, available());
    try {
        advise(data, rounded, how.thp);
        if (how.numa_node >= 0) bind(data, rounded, how.numa_node);
    } catch (...) {
        release(data);
        throw;
    }
    return data;
}

void release(void* data) noexcept { std::free(data); }

}  // namespace watari::memory::host
