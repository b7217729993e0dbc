/// Selects the page of a set to evict: a hand goes round the ways; a page that was used since the
/// hand last passed is spared once. Held pages and pages in state filling or writing are skipped.
///
/// A policy is a type with these two functions, `victim` under the set's lock.
#pragma once

#include "watari/core/parallel/atomic.hpp"
#include "watari/storage/cache/page.hpp"
#include "watari/storage/cache/ways.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

struct second_chance {
    static constexpr unsigned none = ~0u;

    /// Marks a page as used; `seen` is its word just before.
    WATARI_KERNEL static void touched(std::uint64_t& word, std::uint64_t seen) {
        if ((seen & page::used) == 0) local::set_bits(word, page::used);
    }

    /// Returns the way to evict, or none if there is no candidate. The words of the `ways`, at most
    /// 31, begin at `words`. Dirty pages are candidates if `dirty_too`. If every candidate was
    /// used, returns the first one. Other threads may change the words meanwhile: the caller checks
    /// the word again when it takes the way.
    WATARI_KERNEL static unsigned victim(std::uint64_t* words, unsigned ways, std::uint32_t& hand,
                                         bool dirty_too) {
        const unsigned start = hand % ways;
        const auto way_at = [&](unsigned step) {
            return start + step < ways ? start + step : start + step - ways;
        };
        std::uint32_t used = 0;  // bit i: the page at way_at(i) was used
        unsigned unused = ways, least = ways;
        each_way(
            ways, 0, 1, [&](unsigned step) -> std::uint64_t& { return words[way_at(step)]; },
            [&](unsigned step, std::uint64_t word) {
                if (!may_give_way(word, dirty_too)) return true;
                if (least == ways) least = step;
                if ((word & page::used) == 0) return unused = step, false;
                return used |= 1u << step, true;
            });
        for (unsigned step = 0; used >> step != 0; ++step)
            if ((used >> step & 1) != 0) local::clear_bits(words[way_at(step)], page::used);
        if (least == ways) return none;
        hand = way_at(unused < ways ? unused : least) + 1;
        return hand - 1;
    }

private:
    WATARI_KERNEL static bool may_give_way(std::uint64_t word, bool dirty_too) {
        const page_state state = page::state(word);
        return page::holders(word) == 0 && state != page_state::filling &&
               state != page_state::writing && (state != page_state::dirty || dirty_too);
    }
};

}  // namespace watari::WATARI_BACKEND
