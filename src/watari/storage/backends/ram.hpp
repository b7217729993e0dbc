/// Backends in memory: as fast as memory is, or with the latency and bandwidth of a named SSD.
#pragma once

#include "watari/storage/backends/backend.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace watari::storage {

/// A namespace of zeros in pageable memory; every write lasts as long as this does. Throws
/// beyond_memory.
std::shared_ptr<backend> make_ram(std::size_t bytes);

/// Bytes of memory that the caller keeps, as a namespace.
std::shared_ptr<backend> make_ram(std::span<std::byte> data);

}  // namespace watari::storage
