/// Reads tiles of C back from their file and verifies their checksums.
///
/// Bytes: each tile row once, from its first to its last tile with a checksum. Threads read and
/// checksum pieces of 1 MiB: one thread checksums 2.3 GB/s, less than the rate of a disk.
#pragma once

#include "watari/gemm/pipeline/pipeline.hpp"
#include "watari/gemm/schedule/placement.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace watari::gemm {

/// disk: what survives a power cut; pages of the file leave the page cache. cache: what other
/// processes read.
enum class read_from { disk, cache };

struct tile_reader {
    int file;
    read_from from;
    std::size_t threads;
};

/// Returns the tiles whose elements in the file do not match their checksum; elements that cannot
/// be read count as 0. Tiles without a checksum are ignored. The calling thread calls `goes_on`
/// every few milliseconds: if it returns false the check ends, and the result is empty.
std::vector<tile_of_c> damaged_tiles(const tile_reader& by, const placement& where,
                                     const completed_tiles& tiles,
                                     const std::function<bool()>& goes_on);

}  // namespace watari::gemm
