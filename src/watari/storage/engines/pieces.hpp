/// Where the parts of a block lie, as calls of the kernel that scatter and gather take it.
#pragma once

#include "watari/storage/engines/engine.hpp"

#include <sys/uio.h>
#include <vector>

namespace watari::storage {

/// Adds those of block i.
inline void add_pieces(const requests& list, std::size_t i, std::vector<iovec>& into) {
    for (std::size_t part = 0; part < list.parts; ++part)
        into.push_back({list.place(i, part), list.part_bytes()});
}

}  // namespace watari::storage
