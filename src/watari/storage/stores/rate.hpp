/// The rate of a store by sequential blocks; the highest by large ones, many of them in flight.
#pragma once

#include "watari/storage/stores/open_store.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::storage {

inline constexpr std::size_t large_block = std::size_t{1} << 17;

/// Bytes [first, first + bytes) of a store; each thread gets whole MiB of them.
struct stretch {
    std::uint64_t first;
    std::uint64_t bytes;
};

/// Bytes per second by `threads` threads with `depth` requests in flight each, to or from memory of
/// `who` (at most 64 MiB a thread), for about half a second. Writes store zeros; the time includes
/// making them durable. Returns 0 if `where` has less than a MiB. `block`: bytes of a
/// request, in whole units of the store, a MiB at most.
double rate(const open_store& from, files::direction direction, const stretch& where, processor who,
            std::size_t threads, std::size_t depth, std::size_t block = large_block);

}  // namespace watari::storage
