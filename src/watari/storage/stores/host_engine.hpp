/// Engines `pinned` and `managed`: the matrices lie in host memory that the GPU addresses. Evenly
/// spaced rows of a tile are one copy: by the copy engine from pinned memory, by a kernel from
/// managed memory, whose pages then migrate. Bytes over the link: those of the tile.
#pragma once

#include "watari/storage/engines/engine.hpp"

#include <memory>
#include <string>

namespace watari::storage {

/// Throws unsupported unless `who` is a GPU and the machine has one.
void require_host_engine(const std::string& name, processor who);

/// Makes the engine. Offsets in its lists count bytes from `store`.
std::unique_ptr<storage::engine> make_host_engine(const std::string& name,
                                                  const storage::engine_options& options,
                                                  std::byte* store);

}  // namespace watari::storage
