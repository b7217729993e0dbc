/// Kernels of either backend by which the host reads, writes and flushes an array of bytes. The
/// cache is in memory of that processor. Bytes: 1 read and 1 written for each byte moved, one of
/// the two in a page of the cache.
#pragma once

#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/core/processor.hpp"
#include "watari/storage/cache/cache_memory.hpp"
#include "watari/storage/nvme/namespace.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::storage {

/// The bytes of a namespace behind a cache.
struct cached_bytes {
    cache_memory cache;
    namespace_view space;
    std::uint64_t bytes;
};

/// The kernels of one backend. On a GPU they return before they are done. The processor must be
/// able to address all memory. `outcome`, which the caller sets to 0, becomes the status of one
/// failed command.
struct array_kernels {
    void (*read)(const cached_bytes& array, std::uint64_t first, std::size_t bytes, std::byte* to,
                 std::uint32_t* outcome, stream_t stream);
    void (*write)(const cached_bytes& array, std::uint64_t first, std::size_t bytes,
                  const std::byte* from, bool durable, std::uint32_t* outcome, stream_t stream);
    /// Writes back every dirty page, then flushes the store: two kernels.
    void (*flush)(const cached_bytes& array, std::uint32_t* outcome, stream_t stream);
    static const array_kernels cpu, gpu;
};

}  // namespace watari::storage
