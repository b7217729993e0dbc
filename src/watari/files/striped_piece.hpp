/// Where a byte of a namespace lies in striped files: a stripe of each file in turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace watari::files {

/// A run of bytes in one of the files.
struct striped_piece {
    std::size_t file;
    std::uint64_t offset;
    std::size_t bytes;
};

/// The piece that begins at `offset` of the namespace of `count` files, `bytes` long at most.
constexpr striped_piece piece_of(std::uint64_t offset, std::size_t bytes, std::size_t count,
                                 std::size_t stripe) {
    if (count == 1) return {0, offset, bytes};
    const std::uint64_t number = offset / stripe, within = offset % stripe;
    return {static_cast<std::size_t>(number % count), number / count * stripe + within,
            std::min<std::size_t>(bytes, stripe - within)};
}

}  // namespace watari::files
