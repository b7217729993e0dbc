/// Where the parts of a block lie, as calls of the kernel that scatter and gather take it.
#pragma once

#include "watari/storage/engines/engine.hpp"

#include <sys/uio.h>
#include <cstring>
#include <vector>

namespace watari::storage {

/// Adds those of block i: what two parts have in common comes to the second.
inline void add_pieces(const requests& list, std::size_t i, std::vector<iovec>& into) {
    for (std::size_t part = 0; part < list.parts; ++part)
        into.push_back(
            {list.location(i, part), part + 1 < list.parts ? list.part_step() : list.part_bytes()});
}

/// What has come of block i to the second of two parts comes to the first, too.
inline void repeat_overlaps(const requests& list, std::size_t i) {
    for (std::size_t part = 1; part < list.parts; ++part)
        std::memcpy(list.location(i, part - 1) + list.part_step(), list.location(i, part),
                    list.overlap);
}

}  // namespace watari::storage
