/// A scan of the words of a set by one thread.
#pragma once

#include "watari/core/parallel/atomic.hpp"
#include "watari/core/parallel/warp.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

/// Calls look(i, word) with the word that `word_at(i)` refers to, for i = first, first + every, ...
/// below `ways`, until look returns false. `Together` loads are in flight at once. They are
/// relaxed: a word is a hint, unless a lock of the caller orders it.
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
