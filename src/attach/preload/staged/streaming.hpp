// Copies past the caches: neither side of a large copy is used again by the thread that copies it.
#pragma once

#include <cstddef>

namespace attach::staged {

void copy_past_caches(void* to, const void* from, std::size_t bytes);

}  // namespace attach::staged
