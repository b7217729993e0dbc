// Detects the pages of managed memory that the CPU has mapped: bit 63 of /proc/self/pagemap. A page
// that migrates to a GPU loses this mapping, a page with a copy on each side keeps it. Reading the
// file moves no page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace watari::attach::pages {

// Maps the pages that are in CPU memory; causes no signal if another thread has freed them.
void map(std::uint64_t address, std::size_t size);

// Bytes of this range in pages that the CPU has not mapped; nothing if the file cannot be read: the
// program may have no descriptor left.
std::optional<std::size_t> unmapped(std::uint64_t address, std::size_t size);

}  // namespace watari::attach::pages
