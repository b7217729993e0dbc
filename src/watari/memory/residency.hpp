/// Residency: the bytes of a range on the CPU and on the GPU, as the operating system reports them.
///
/// Managed memory, and system memory under HMM, on x86: a page that the GPU took away has lost its
/// CPU mapping, so bit 63 (present) of /proc/self/pagemap reports the pages that are mapped on the
/// CPU side. The bit does not distinguish an untouched or swapped page from one on the GPU, nor
/// does it show a read-mostly duplicate there. Bytes not mapped are `untold` unless the caller
/// knows that every page was touched, and duplicates count as the CPU's.
///
/// Other memory, and both kinds on machines where the GPU shares the CPU's page tables (ATS):
/// move_pages(2) reports the NUMA node of each page, and the GPU's memory is a node of its own.
/// There, managed pages that no CPU has mapped are treated as on x86.
#pragma once

#include "watari/memory/buffer.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace watari::memory {

/// The location of a range's bytes. cpu + gpu + untold = bytes.
struct residency {
    std::string method;  ///< pagemap, move_pages or by-kind (device memory cannot move)
    std::size_t bytes = 0;
    std::size_t cpu = 0;
    std::size_t gpu = 0;
    std::size_t untold = 0;
    std::map<int, std::size_t> nodes;  ///< bytes by NUMA node, if move_pages reported
};

/// Locates every page of a block, without touching any. `all_touched`: every page has been written,
/// so that a shared page without a CPU mapping is on the GPU.
residency locate(const block& range, bool all_touched);

/// The same for `parts` parts of a block, each of whole pages, in the order of addresses; fewer
/// parts if it has fewer pages.
std::vector<residency> locate_parts(const block& range, bool all_touched, std::size_t parts);

/// Fraction of a range's pages mapped on the CPU side, from pagemap. Throws system_error.
double cpu_mapped_fraction(const void* data, std::size_t bytes);

}  // namespace watari::memory
