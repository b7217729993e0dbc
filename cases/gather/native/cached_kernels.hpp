/// The kernels of case `gather` with a file as source, through the cache of array<T>.
///
/// gather: destination[i] = file[visited(i)], as in kernels.hpp. Bytes: `element` read from the
/// cache and `element` written per element; a miss reads a page of the file. No flops.
#pragma once

#include "hot_order.hpp"
#include "watari/core/device.hpp"
#include "watari/core/dispatch.hpp"
#include "watari/storage/cache/array_kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::gather {

/// One pass. `element` is a power of two from 4 on that divides `stride`; elements begin `first`
/// bytes into the file. A command that fails leaves its status in `outcome`.
struct cached_gathering {
    storage::cached_bytes source;
    std::uint64_t first;
    std::byte* destination;
    std::size_t count;  ///< of elements that are gathered
    std::size_t element, stride;
    hot_order visited;
    std::uint32_t* outcome;
};

struct cached_kernels {
    /// Returns before it is done on a GPU.
    void (*gather)(const cached_gathering& pass, stream_t stream);
    /// As kernels::mismatches, by the visits of the pass.
    std::size_t (*mismatches)(const cached_gathering& pass, std::uint64_t seed, stream_t stream);
    static const cached_kernels cpu, gpu;
};

}  // namespace watari::gather
