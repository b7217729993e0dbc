/// Blocks of sectors in memory of either processor: written, spoilt, verified.
///
/// Block i lies at data + i x sectors x 512 bytes; offsets[i] is its offset in the store, in bytes;
/// both in memory that the processor can address. Bytes: write and verify pass over the blocks
/// once, spoil over 8 bytes of each sector. No floating-point work.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::storage {

struct blocks {
    void* data;
    const std::uint64_t* offsets;
    std::size_t count;
    std::size_t sectors;  ///< of a block
};

/// The kernels of one backend. On a GPU `write` and `spoil` return before they are done.
struct sector_kernels {
    void (*write)(const blocks& where, std::uint64_t generation, stream_t stream);
    /// Makes every sector wrong, so that a sector that is not written again is detected.
    void (*spoil)(const blocks& where, stream_t stream);
    /// Returns the number of sectors that are not whole, at their location and of this generation;
    /// waits.
    std::size_t (*wrong)(const blocks& where, std::uint64_t generation, stream_t stream);
    static const sector_kernels cpu, gpu;
};

}  // namespace watari::storage
