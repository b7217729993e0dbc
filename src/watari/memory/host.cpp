#include "watari/memory/host.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace watari::memory::host {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The number that stands behind `key` in a file of the kernel's (an empty key: at its start);
/// `otherwise` if there is none.
std::size_t number_in(const std::string& path, std::string_view key, std::size_t otherwise) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key)) continue;
        const std::size_t digits = line.find_first_of("0123456789", key.size());
        if (digits == line.npos) return otherwise;
        return std::strtoull(line.c_str() + digits, nullptr, 10);
    }
    return otherwise;
}

/// What the control group of this process, and those above it, leave (cgroup v2). Page cache that
/// nobody uses counts as free.
std::size_t control_groups_leave() {
    std::string group;  // 0::/slurm/job_1; in a container 0::/
    for (std::ifstream file("/proc/self/cgroup"); std::getline(file, group);)
        if (group.starts_with("0::/")) break;
    std::size_t least = unlimited;
    std::filesystem::path level = "/sys/fs/cgroup";
    if (group.starts_with("0::/")) level += group.substr(3);
    for (; level != "/sys/fs"; level = level.parent_path()) {
        const std::size_t limit = number_in(level / "memory.max", "", unlimited);
        if (limit == unlimited) continue;
        const std::size_t used = number_in(level / "memory.current", "", 0);
        const std::size_t cached = number_in(level / "memory.stat", "inactive_file ", 0);
        least = std::min(least, limit - std::min(limit, used - std::min(used, cached)));
    }
    return least;
}

/// Bytes of a transparent huge page: 2 MiB, or 512 MiB where pages have 64 KiB.
std::size_t huge_page_size() {
    static const std::size_t size =
        number_in("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "", std::size_t{2} << 20);
    return size;
}

std::size_t whole_pages(std::size_t bytes) {
    return (bytes + page_size() - 1) / page_size() * page_size();
}

/// Whole untouched pages that begin on a multiple of `alignment`; null if there are none.
std::byte* map(std::size_t bytes, std::size_t alignment) {
    const std::size_t spare = alignment - page_size();
    if (bytes > unlimited - spare) return nullptr;
    void* mapped =
        mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* first = static_cast<std::byte*>(mapped);
    const std::size_t head =
        (alignment - reinterpret_cast<std::uintptr_t>(first) % alignment) % alignment;
    if (head > 0) munmap(first, head);
    if (head < spare) munmap(first + head + bytes, spare - head);
    return first + head;
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
    std::size_t free = number_in("/proc/meminfo", "MemAvailable:", unknown);
    for (const int node : device::numa_nodes()) {
        const std::string number = std::to_string(node);
        const std::string path = "/sys/devices/system/node/node" + number + "/meminfo";
        free -= std::min(free, number_in(path, "Node " + number + " MemFree:", 0));
    }
    return std::min(free * 1024, control_groups_leave());
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
    const std::size_t length = whole_pages(bytes);
    void* data = map(length, length >= huge_page_size() ? huge_page_size() : page_size());
    if (!data) throw beyond_memory("mmap", bytes, available());
    try {
        advise(data, length, how.thp);
        if (how.numa_node >= 0) bind(data, length, how.numa_node);
    } catch (...) {
        release(data, bytes);
        throw;
    }
    return data;
}

void release(void* data, std::size_t bytes) noexcept { munmap(data, whole_pages(bytes)); }

}  // namespace watari::memory::host
