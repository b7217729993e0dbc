/// Which page of a set gives way: a hand goes round; a page that was used since it last came by is
/// spared once. Pages that somebody holds and pages under way are passed over.
///
/// A policy is a type with these two functions, `victim` under the set's lock.
#pragma once

#include "watari/core/local_atomic.hpp"
#include "watari/storage/page.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

struct second_chance {
    static constexpr unsigned none = ~0u;

    /// A page was found; `seen` is its word just before.
    WATARI_KERNEL static void touched(std::uint64_t& word, std::uint64_t seen) {
        if ((seen & page::used) == 0) local::fetch_or(word, page::used);
    }

    /// The way, of `ways` whose words begin at `words`, that may give way; none if all are held.
    /// Dirty pages count if `dirty_too`. Twice round and each was asked once without its bit.
    WATARI_KERNEL static unsigned victim(std::uint64_t* words, unsigned ways, std::uint32_t& hand,
                                         bool dirty_too) {
        for (unsigned step = 0; step < 2 * ways; ++step) {
            const unsigned way = hand % ways;
            hand = way + 1;
            const std::uint64_t word = local::load_acquire(words[way]);
            const page_state state = page::state(word);
            if (page::holders(word) != 0 || state == page_state::filling ||
                state == page_state::writing || (state == page_state::dirty && !dirty_too))
                continue;
            if ((word & page::used) == 0) return way;
            local::fetch_and(words[way], ~page::used);
        }
        return none;
    }
};

}  // namespace watari::WATARI_BACKEND
