// Whether the CPU has mapped pages of a range: it touched them, and they have not moved since.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attach::prefetched {

// Looks at a few pages, evenly spread; false if the page tables cannot be read.
bool is_any_mapped(std::uint64_t address, std::size_t bytes);

}  // namespace attach::prefetched
