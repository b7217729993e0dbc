// Kernels for both backends; see core/backend.hpp.
#include "watari/memory/rows/realign.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/warp.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

namespace {

using word = std::uint32_t;

/// Moves words to a lower address by all threads of a group. The words written of one batch lie
/// below those read of the next, so threads wait only between reading a batch and writing it.
WATARI_KERNEL inline void move_down(const group& lanes, word* to, const word* from,
                                    std::size_t words) {
    constexpr unsigned batch = 16;
    const std::size_t size = lanes.size(), rank = lanes.rank();
    word value[batch];
    std::size_t first = rank;
    for (; first - rank + batch * size <= words; first += batch * size) {
        for (unsigned b = 0; b < batch; ++b) value[b] = from[first + b * size];
        lanes.sync();
        for (unsigned b = 0; b < batch; ++b) to[first + b * size] = value[b];
    }
    for (unsigned b = 0; b < batch; ++b)
        if (first + b * size < words) value[b] = from[first + b * size];
    lanes.sync();
    for (unsigned b = 0; b < batch; ++b)
        if (first + b * size < words) to[first + b * size] = value[b];
}

void realign(const memory::skewed_rows& rows, stream_t stream) {
    for_each_warp(
        rows.count,
        [=] WATARI_KERNEL(std::size_t i) {
            const std::size_t skip = rows.skip_of(i);
            if (skip == 0) return;
            char* const row = static_cast<char*>(rows.data) + i * rows.stride;
            move_down(group::active(), reinterpret_cast<word*>(row),
                      reinterpret_cast<const word*>(row + skip), rows.bytes / sizeof(word));
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::memory {

const realign_kernels realign_kernels::WATARI_BACKEND{.realign = WATARI_BACKEND::realign};

}  // namespace watari::memory
