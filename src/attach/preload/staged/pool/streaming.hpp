// Copies past the caches: for slots that the GPU reads from memory.
#pragma once

#include <cstddef>

namespace attach::staged {

void copy_past_caches(void* to, const void* from, std::size_t bytes);

}  // namespace attach::staged
