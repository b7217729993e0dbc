/// Tiles of C read back from their file, and verified by the checksums that they were written with.
/// Bytes: the rows of these tiles once, past what the page cache has of them.
#pragma once

#include "watari/gemm/pipeline/pipeline.hpp"
#include "watari/gemm/schedule/placement.hpp"

#include <functional>
#include <vector>

namespace watari::gemm {

/// Tiles whose elements in the file, or what can be read of them, do not have their checksum. Tiles
/// without one are left out. `goes_on` is asked every few milliseconds: false ends it.
std::vector<tile_of_c> damaged_tiles(int file, const placement& where, const completed_tiles& tiles,
                                     const std::function<bool()>& goes_on);

}  // namespace watari::gemm
