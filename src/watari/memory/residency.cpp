#include "watari/memory/residency.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/host.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <set>
#include <vector>

namespace watari::memory {

namespace {

constexpr std::size_t pages_at_once = 1 << 16;
constexpr std::uint64_t present = std::uint64_t{1} << 63;

struct page_range {
    std::uintptr_t first;  ///< address of the first page
    std::size_t pages;
};

page_range pages_of(const void* data, std::size_t bytes) {
    const std::size_t page = host::page_size();
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t first = address / page * page;
    return {first, (address + bytes - first + page - 1) / page};
}

class file {
public:
    explicit file(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0) throw system_error(std::string("open ") + path, errno);
    }
    file(const file&) = delete;
    file& operator=(const file&) = delete;
    ~file() { close(descriptor_); }
    int get() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

std::size_t present_pages(const page_range& range) {
    const file pagemap("/proc/self/pagemap");
    std::vector<std::uint64_t> entries(std::min(range.pages, pages_at_once));
    std::size_t found = 0;
    for (std::size_t done = 0; done < range.pages;) {
        const std::size_t want = std::min(range.pages - done, entries.size());
        const std::uintptr_t page = range.first / host::page_size() + done;
        const ssize_t got = pread(pagemap.get(), entries.data(), want * sizeof(entries[0]),
                                  static_cast<off_t>(page * sizeof(entries[0])));
        if (got <= 0) throw system_error("read /proc/self/pagemap", got < 0 ? errno : EIO);
        const std::size_t read = static_cast<std::size_t>(got) / sizeof(entries[0]);
        for (std::size_t i = 0; i < read; ++i) found += (entries[i] & present) != 0;
        done += read;
    }
    return found;
}

/// Pages by NUMA node; negative keys are the error instead (-ENOENT: no page, -EPERM: forbidden).
std::map<int, std::size_t> pages_by_node(const page_range& range) {
    std::map<int, std::size_t> count;
    std::vector<void*> pages(std::min(range.pages, pages_at_once));
    std::vector<int> status(pages.size());
    for (std::size_t done = 0; done < range.pages; done += pages.size()) {
        pages.resize(std::min(range.pages - done, pages_at_once));
        for (std::size_t i = 0; i < pages.size(); ++i)
            pages[i] = reinterpret_cast<void*>(range.first + (done + i) * host::page_size());
        if (syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, status.data(), 0) != 0)
            return {{-errno, range.pages}};  // a container may forbid it: then nothing is reported
        for (std::size_t i = 0; i < pages.size(); ++i) ++count[status[i]];
    }
    return count;
}

/// Bytes of a block, from some page on.
struct piece {
    const void* data;
    std::size_t bytes;
};

/// `unmapped_on_gpu`: a page that the CPU's page tables lack counts as the GPU's.
residency by_nodes(const piece& range, bool unmapped_on_gpu) {
    residency result{.method = "move_pages", .bytes = range.bytes, .nodes = {}};
    const std::set<int> gpu_nodes = device::numa_nodes();
    std::size_t left = range.bytes;  // the last page may be used in part
    for (const auto& [node, pages] : pages_by_node(pages_of(range.data, range.bytes))) {
        const std::size_t bytes = std::min(left, pages * host::page_size());
        left -= bytes;
        if (node >= 0) result.nodes[node] += bytes;
        if (node < 0 && !(node == -ENOENT && unmapped_on_gpu))
            result.untold += bytes;
        else
            (node < 0 || gpu_nodes.contains(node) ? result.gpu : result.cpu) += bytes;
    }
    return result;
}

residency by_pagemap(const piece& range, bool all_touched) {
    residency result{.method = "pagemap", .bytes = range.bytes, .nodes = {}};
    const std::size_t pages = present_pages(pages_of(range.data, range.bytes));
    result.cpu = std::min(range.bytes, pages * host::page_size());
    (all_touched ? result.gpu : result.untold) = range.bytes - result.cpu;
    return result;
}

/// Locates a piece of a block.
residency look(const block& of, const piece& range, bool all_touched) {
    const auto by_page = [&](bool unmapped_on_gpu) {
        // under HMM a page on the GPU is a swap entry, which pagemap shows as not present
        return device::has(device::attribute::pageable_memory_access_uses_host_page_tables,
                           of.device())
                   ? by_nodes(range, unmapped_on_gpu)
                   : by_pagemap(range, all_touched);
    };
    switch (of.kind().kind) {
        case kind::device:
            return {.method = "by-kind", .bytes = range.bytes, .gpu = range.bytes, .nodes = {}};
        case kind::pinned:
            return {.method = "by-kind", .bytes = range.bytes, .cpu = range.bytes, .nodes = {}};
        case kind::managed:
            return by_page(all_touched);
        case kind::system:
            return by_page(false);
        case kind::pageable:
            return by_nodes(range, false);
    }
    throw usage_error("no such memory kind");
}

}  // namespace

double cpu_mapped_fraction(const void* data, std::size_t bytes) {
    const page_range range = pages_of(data, bytes);
    return static_cast<double>(present_pages(range)) / static_cast<double>(range.pages);
}

residency locate(const block& range, bool all_touched) {
    return look(range, {range.data(), range.bytes()}, all_touched);
}

std::vector<residency> locate_parts(const block& range, bool all_touched, std::size_t parts) {
    const std::size_t page = host::page_size();
    const auto* first = static_cast<const std::byte*>(range.data());
    const std::size_t pages = (range.bytes() + page - 1) / page;
    const std::size_t count = std::clamp<std::size_t>(parts, 1, pages);
    std::vector<residency> found;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t begin = pages * i / count * page;
        const std::size_t end = std::min(range.bytes(), pages * (i + 1) / count * page);
        found.push_back(look(range, {first + begin, end - begin}, all_touched));
    }
    return found;
}

}  // namespace watari::memory
