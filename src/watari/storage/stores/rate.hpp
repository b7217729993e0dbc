/// What a store gives at its best: large blocks one behind the other, many of them in flight.
#pragma once

#include "watari/storage/stores/open_store.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::storage {

/// Bytes [first, first + bytes) of a source, in whole MiB of it.
struct stretch {
    std::uint64_t first;
    std::uint64_t bytes;
};

/// Bytes per second by `threads` threads with `depth` requests in flight each, into memory of `who`
/// (64 MiB a thread), for about half a second. Writes leave zeros, and are durable when the time is
/// taken. 0: less than a MiB to move.
double rate(const open_store& from, files::direction direction, const stretch& where, processor who,
            std::size_t threads, std::size_t depth);

}  // namespace watari::storage
