#include "watari/memory/kind.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/cuda_kinds.hpp"
#include "watari/memory/host.hpp"

#include <array>
#include <filesystem>

namespace watari::memory {

namespace {

std::string always(int) { return ""; }

constexpr std::array table{
    kind_row{.kind = kind::pageable,
             .name = "pageable",
             .cpu_can_address = true,
             .gpu_can_address = false,
             .shared = false,
             .placed = true,
             .needs = "nothing",
             .unsupported = always,
             .available = host::available,
             .allocate = host::allocate,
             .release = host::release},
    kind_row{.kind = kind::pinned,
             .name = "pinned",
             .cpu_can_address = true,
             .gpu_can_address = true,
             .shared = false,
             .placed = true,
             .needs = "a GPU",
             .unsupported = cuda::no_gpu,
             .available = host::available,
             .allocate = cuda::allocate_pinned,
             .release = cuda::release_pinned},
    kind_row{.kind = kind::device,
             .name = "device",
             .cpu_can_address = false,
             .gpu_can_address = true,
             .shared = false,
             .placed = false,
             .needs = "a GPU",
             .unsupported = cuda::no_gpu,
             .available = cuda::available_device,
             .allocate = cuda::allocate_device,
             .release = cuda::release_device},
    kind_row{.kind = kind::managed,
             .name = "managed",
             .cpu_can_address = true,
             .gpu_can_address = true,
             .shared = true,
             .placed = false,
             .needs = "a GPU with managedMemory; to migrate on demand, concurrentManagedAccess",
             .unsupported = cuda::no_managed,
             .available = cuda::available_managed,
             .allocate = cuda::allocate_managed,
             .release = cuda::release_managed},
    kind_row{.kind = kind::system,
             .name = "system",
             .cpu_can_address = true,
             .gpu_can_address = true,
             .shared = true,
             .placed = true,
             .needs = "pageableMemoryAccess: by ATS (GH200) or by HMM (open kernel module, Linux "
                      "6.1.24)",
             .unsupported = cuda::no_system,
             .available = host::available,
             .allocate = host::allocate,
             .release = host::release},
};

}  // namespace

std::span<const kind_row> kinds() { return table; }

const kind_row& row(kind k) { return table[static_cast<std::size_t>(k)]; }

const kind_row& row(std::string_view name) {
    for (const kind_row& candidate : table)
        if (candidate.name == name) return candidate;
    throw usage_error("no memory kind is called '" + std::string(name) + "'");
}

kind local_kind(processor who) { return who.is_gpu() ? kind::device : kind::pageable; }

kind host_kind(processor who) { return who.is_gpu() ? kind::pinned : kind::pageable; }

void require_access(const kind_row& row, processor who) {
    const std::string name(row.name);
    if (who.is_gpu()) {
        device::use(who.number);
        if (!row.gpu_can_address)
            throw unsupported(
                "the GPU cannot address " + name +
                " memory; memory=system is malloc for both, where the machine has it");
    } else if (!row.cpu_can_address) {
        throw unsupported("the CPU cannot address " + name + " memory");
    }
    if (const std::string reason = row.unsupported(who.number); !reason.empty())
        throw unsupported(name + " memory: " + reason);
}

placement huge_placement(processor who) {
    if (who.is_gpu()) return {.device = who.number};
    const bool there = std::filesystem::exists("/sys/kernel/mm/transparent_hugepage");
    return {.device = who.number, .thp = there ? huge_pages::always : huge_pages::as_set};
}

}  // namespace watari::memory
