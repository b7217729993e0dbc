#include "watari/memory/host.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/core/text_file.hpp"

#include <linux/mempolicy.h>
#include <linux/mman.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace watari::memory::host {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The number behind `key` in a file of the kernel (an empty key: at its start); `otherwise` if
/// there is none.
std::size_t number_in(const std::string& path, std::string_view key, std::size_t otherwise) {
    const std::string line = line_of(path, key).value_or("");
    const std::size_t digits = line.find_first_of("0123456789", key.size());
    return digits < line.size() ? std::strtoull(line.c_str() + digits, nullptr, 10) : otherwise;
}

/// The files of a version of control groups.
struct group_files {
    const char *root, *limit, *used, *cached;
};
constexpr group_files version_1{"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                "memory.usage_in_bytes", "total_inactive_file "};
constexpr group_files version_2{"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};

/// Lowers `least` to what a control group and the groups above it leave. Inactive page cache counts
/// as free.
void lessen(room& least, const group_files& files, std::string_view group) {
    std::filesystem::path level = files.root;
    level += group;
    if (level.has_relative_path() && !level.has_filename()) level = level.parent_path();
    for (; level.string().size() >= std::strlen(files.root); level = level.parent_path()) {
        const std::size_t limit = number_in(level / files.limit, "", unlimited);
        if (limit == unlimited) continue;
        const std::size_t used = number_in(level / files.used, "", 0);
        const std::size_t cached = number_in(level / "memory.stat", files.cached, 0);
        const std::size_t left = limit - std::min(limit, used - std::min(used, cached));
        if (left < least.bytes) least = {left, "the limit of control group " + level.string()};
    }
}

/// A line of /proc/self/cgroup is 0::/slurm/job_1, in a container 0::/; in version 1
/// 5:cpu,memory:/slurm/job_1.
void lessen_by_control_groups(room& least) {
    const std::string lines = text_of("/proc/self/cgroup").value_or("");
    for (std::string_view left = lines; !left.empty();) {
        std::string_view group = take_until(left, '\n');
        take_until(group, ':');
        const std::string controllers = "," + std::string(take_until(group, ':')) + ",";
        if (controllers == ",,") lessen(least, version_2, group);
        if (controllers.find(",memory,") != controllers.npos) lessen(least, version_1, group);
    }
    lessen(least, version_2, "");  // for a container that sees its own group as the root
}

/// Bytes of a transparent huge page: 2 MiB, or 512 MiB where pages have 64 KiB.
std::size_t huge_page_size() {
    static const std::size_t size =
        number_in("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "", std::size_t{2} << 20);
    return size;
}

std::size_t page_of(const placement& how) { return how.page > 0 ? how.page : page_size(); }

std::size_t whole_pages(std::size_t bytes, const placement& how) {
    return pages_for(bytes, how) * page_of(how);
}

std::string in_words(std::size_t page) {
    const bool small = page < std::size_t{1} << 20, large = page >= std::size_t{1} << 30;
    return small   ? std::to_string(page >> 10) + " KiB"
           : large ? std::to_string(page >> 30) + " GiB"
                   : std::to_string(page >> 20) + " MiB";
}

/// The folder of the kernel's pool of pages of this size, of all nodes or of one.
std::string pool(std::size_t page, int node) {
    const std::string root =
        node < 0 ? "/sys/kernel/mm" : "/sys/devices/system/node/node" + std::to_string(node);
    return root + "/hugepages/hugepages-" + std::to_string(page >> 10) + "kB/";
}

/// Pages of a pool that are not reserved, with those that the kernel may add to it. Of one node:
/// its free pages.
std::size_t free_pages(std::size_t page, int node) {
    const std::string files = pool(page, node);
    const std::size_t free = number_in(files + "free_hugepages", "", 0);
    if (node >= 0) return free;
    const std::size_t more = number_in(files + "nr_overcommit_hugepages", "", 0);
    const std::size_t added = number_in(files + "surplus_hugepages", "", 0);
    return free - std::min(free, number_in(files + "resv_hugepages", "", 0)) +
           (more - std::min(more, added));
}

/// Maps pages of a pool. The kernel reserves them here, so that no later touch fails.
void* map_from_pool(std::size_t bytes, const placement& how) {
    require_pool(bytes / how.page, how);
    const int size = std::countr_zero(how.page) << MAP_HUGE_SHIFT;
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size, -1, 0);
    if (mapped != MAP_FAILED) return mapped;
    const std::string what = "mmap of pages of " + in_words(how.page);
    if (errno == ENOMEM) throw beyond_memory(what, bytes, free_pages(how.page, -1) * how.page);
    throw system_error(what, errno);
}

/// Maps whole untouched pages that begin on a multiple of `alignment`; null if that fails.
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

std::size_t pages_for(std::size_t bytes, const placement& how) {
    return (bytes + page_of(how) - 1) / page_of(how);
}

void require_pool(std::size_t pages, const placement& how) {
    const std::string size = in_words(how.page), files = pool(how.page, how.numa_node);
    if (!std::filesystem::exists(files))
        throw unsupported("this kernel has no pool of pages of " + size +
                          "; /sys/kernel/mm/hugepages names the sizes that it has");
    if (const std::size_t free = free_pages(how.page, how.numa_node); free < pages)
        throw unsupported("the kernel's pool has " + std::to_string(free) + " free pages of " +
                          size + ", and " + std::to_string(pages) + " are needed: as root, echo " +
                          std::to_string(number_in(files + "nr_hugepages", "", 0) + pages - free) +
                          " > " + files + "nr_hugepages");
}

std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

room left() {
    constexpr std::size_t unknown = unlimited / 1024;
    std::size_t free = number_in("/proc/meminfo", "MemAvailable:", unknown);
    for (const int node : device::numa_nodes()) {
        const std::string number = std::to_string(node);
        const std::string path = "/sys/devices/system/node/node" + number + "/meminfo";
        free -= std::min(free, number_in(path, "Node " + number + " MemFree:", 0));
    }
    room least{free * 1024, ""};
    lessen_by_control_groups(least);
    if (const std::size_t addresses = addresses_left(); addresses < least.bytes)
        least = {addresses, "ulimit -v (RLIMIT_AS)"};
    return least;
}

std::size_t available(int) { return left().bytes; }

std::size_t addresses_left() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    const std::size_t used = number_in("/proc/self/statm", "", 0) * page_size();
    return limit.rlim_cur - std::min<std::size_t>(limit.rlim_cur, used);
}

std::size_t stack_bytes() {
    rlimit limit{};
    constexpr std::size_t where_unlimited = std::size_t{2} << 20;  // as glibc has it
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return where_unlimited;
    return limit.rlim_cur;
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
    const std::size_t length = whole_pages(bytes, how);
    const std::size_t alignment = length >= huge_page_size() ? huge_page_size() : page_size();
    void* data = how.page > 0 ? map_from_pool(length, how) : map(length, alignment);
    if (!data) throw beyond_memory("mmap", bytes, available());
    try {
        advise(data, length, how.thp);
        if (how.numa_node >= 0) bind(data, length, how.numa_node);
    } catch (...) {
        release(data, bytes, how);
        throw;
    }
    return data;
}

void release(void* data, std::size_t bytes, const placement& how) noexcept {
    munmap(data, whole_pages(bytes, how));
}

}  // namespace watari::memory::host
