/// The locations of a block's parts, as system calls that scatter and gather take them.
#pragma once

#include "watari/storage/engines/engine.hpp"

#include <sys/uio.h>
#include <cstring>
#include <vector>

namespace watari::storage {

/// Adds the pieces of block i. Bytes that two parts share go to the second part.
inline void add_pieces(const requests& list, std::size_t i, std::vector<iovec>& into) {
    for (std::size_t part = 0; part < list.parts; ++part)
        into.push_back(
            {list.location(i, part), part + 1 < list.parts ? list.part_step() : list.part_bytes()});
    if (list.tail > 0) into.push_back({list.tail_memory + i * list.tail, list.tail});
}

/// Copies the bytes of block i that two parts share from the second part to the first.
inline void repeat_overlaps(const requests& list, std::size_t i) {
    for (std::size_t part = 1; part < list.parts; ++part)
        std::memcpy(list.location(i, part - 1) + list.part_step(), list.location(i, part),
                    list.overlap);
}

}  // namespace watari::storage
