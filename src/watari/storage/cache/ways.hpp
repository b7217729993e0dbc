/// The words of a set, looked at by one thread.
#pragma once

#include "watari/core/parallel/atomic.hpp"
#include "watari/core/parallel/warp.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

/// Gives look(i, word) what `word_at(i)` refers to, for i = first, first + every, ... below `ways`,
/// until it says false. As many loads are under way together as the processor needs. They are
/// relaxed: what was seen is a hint, or a lock has ordered it.
template <unsigned Together = loads_under_way, class WordAt, class Look>
WATARI_KERNEL void each_way(unsigned ways, unsigned first, unsigned every, WordAt word_at,
                            Look look) {
    for (; first < ways; first += Together * every) {
        std::uint64_t seen[Together];
        for (unsigned k = 0; k < Together; ++k) {
            const unsigned i = first + k * every;
            seen[k] = i < ways ? local::load_relaxed(word_at(i)) : 0;
        }
        for (unsigned k = 0; k < Together; ++k) {
            const unsigned i = first + k * every;
            if (i < ways && !look(i, seen[k])) return;
        }
    }
}

}  // namespace watari::WATARI_BACKEND
