/// Engines `pinned` and `managed`: the matrices lie in host memory that the GPU addresses, and a
/// tile is one copy of rows, by the copy engine from pinned memory, by a kernel that makes the
/// pages migrate from managed memory. Bytes: those of the tile, over the link.
#pragma once

#include "watari/storage/engines/engine.hpp"

#include <memory>
#include <string>

namespace watari::storage {

/// Throws unsupported where the tiles are not for a GPU.
void require_host_engine(const std::string& name, processor who);

/// `offsets` of its lists are bytes behind `store`.
std::unique_ptr<storage::engine> make_host_engine(const std::string& name,
                                                  const storage::engine_options& options,
                                                  std::byte* store);

}  // namespace watari::storage
