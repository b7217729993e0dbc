/// Backends in memory, as fast as memory is.
#pragma once

#include "watari/storage/backends/backend.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace watari::storage {

/// Makes a namespace of zeros in pageable memory; a write lasts as long as the backend. Throws
/// beyond_memory.
std::shared_ptr<backend> make_ram(std::size_t bytes);

/// Makes a namespace of memory that the caller keeps.
std::shared_ptr<backend> make_ram(std::span<std::byte> data);

}  // namespace watari::storage
