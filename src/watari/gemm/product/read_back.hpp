/// Reads tiles of C back from their file and verifies the checksums of what was written. Bytes:
/// each tile row once, from its first to its last such tile; cached pages are dropped before.
#pragma once

#include "watari/gemm/pipeline/pipeline.hpp"
#include "watari/gemm/schedule/placement.hpp"

#include <functional>
#include <vector>

namespace watari::gemm {

/// Returns the tiles whose elements in the file do not match their checksum; elements that cannot
/// be read count as 0. Tiles without a checksum are ignored. `goes_on` is called every few
/// milliseconds: its result false ends the check.
std::vector<tile_of_c> damaged_tiles(int file, const placement& where, const completed_tiles& tiles,
                                     const std::function<bool()>& goes_on);

}  // namespace watari::gemm
