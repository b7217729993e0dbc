/// The table of memory kinds. A kind is one row: the processors that can address it, its needs, the
/// functions that allocate and release it.
#pragma once

#include "watari/core/processor.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace watari::memory {

/// pageable: anonymous memory, as malloc maps it, for the CPU alone. pinned: cudaMallocHost.
/// device: cudaMalloc. managed: cudaMallocManaged. system: the same memory as pageable, used by
/// both processors.
enum class kind { pageable, pinned, device, managed, system };

/// Transparent huge pages: as the system is set, asked for, or refused (madvise).
enum class huge_pages { as_set, always, never };

/// Where and how to allocate.
struct placement {
    int device = 0;      ///< the GPU of `device` memory; its limits apply to `managed`
    int numa_node = -1;  ///< bind CPU pages to this node; -1: first touch decides
    huge_pages thp = huge_pages::as_set;
    std::size_t page = 0;        ///< bytes of CPU pages from the kernel's pool; 0: ordinary ones
    bool oversubscribe = false;  ///< lift the check against free memory

    /// Whether it chooses the node or the size of CPU pages.
    bool places_pages() const { return numa_node >= 0 || thp != huge_pages::as_set || page > 0; }
};

/// One row of the table.
struct kind_row {
    memory::kind kind;
    std::string_view name;
    bool cpu_can_address;
    bool gpu_can_address;
    bool shared;  ///< first touch decides where a page lies
    bool placed;  ///< numa_node, thp and page of a placement apply; else a driver decides
    std::string_view needs;  ///< of the machine, in a user's words
    /// The reason why the machine does not have it; empty if it does.
    std::string (*unsupported)(int device);
    /// Bytes that can still be allocated.
    std::size_t (*available)(int device);
    void* (*allocate)(std::size_t bytes, const placement& how);
    /// All three arguments as at the allocation.
    void (*release)(void* data, std::size_t bytes, const placement& how) noexcept;
};

/// All kinds, in the order of the enumeration.
std::span<const kind_row> kinds();

/// The row of a kind.
const kind_row& row(kind k);

/// The row with this name. Throws usage_error.
const kind_row& row(std::string_view name);

/// The kind in which a processor computes: `device` for a GPU, `pageable` for the CPU.
kind local_kind(processor who);

/// The kind of the CPU's memory that a processor can address: `pinned` for a GPU, `pageable` for
/// the CPU.
kind host_kind(processor who);

/// Throws `unsupported` with the reason unless `who` can address memory of this kind here.
void require_access(const kind_row& row, processor who);

/// Where memory in which `who` computes lies. For the CPU: in huge pages if the kernel has them,
/// since random access to much memory needs their reach and a disk gets fewer segments a request.
placement huge_placement(processor who = the_cpu);

}  // namespace watari::memory
