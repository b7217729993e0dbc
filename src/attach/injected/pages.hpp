// Which pages of managed memory the CPU has mapped: bit 63 of /proc/self/pagemap. A page that
// migrates to a GPU loses this mapping, a page with a copy on each side keeps it. Looking moves no
// page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace watari::attach::pages {

// Maps the pages that are in CPU memory, without a signal where another thread has freed them.
void map(std::uint64_t address, std::size_t size);

// Bytes of this range in pages that the CPU has not mapped; nothing where the file cannot be read:
// the program may have no descriptor left.
std::optional<std::size_t> unmapped(std::uint64_t address, std::size_t size);

}  // namespace watari::attach::pages
