/// What is known of a page in the cache, in one atomic word: its state, whether it was used since
/// the clock's hand came by, how many hold it, and how many of those write to it.
///
///     empty ----> filling ----> clean <----> dirty        a page in a slot
///       ^          |   ^          |  \         |
///       |          v   |          |   v        v
///       +------- poisoned         +-- writing -+
///
///
/// (A page that was being read ahead of its turn and could not be is empty again.)
///
/// empty: no page. filling: being read from the store, or overwritten whole for the first time.
/// clean: as in the store. dirty: the store has to be updated. writing: the store is being updated;
/// may be read, may not be written. poisoned: could not be read; the slot's `failure` says why.
///
/// A slot takes another page only when nobody holds it; its tag is stable for whoever holds it and
/// saw it in another state than empty.
#pragma once

#include "watari/core/backend.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

/// Numbered so that the bit `newer` makes clean dirty and leaves dirty and writing as they are.
enum class page_state : std::uint64_t {
    empty = 0,
    clean = 2,
    dirty = 3,
    filling = 4,
    poisoned = 6,
    writing = 7
};

namespace page {

inline constexpr std::uint64_t newer = 1;
inline constexpr std::uint64_t used = 8;
inline constexpr std::uint64_t holder = 16;
inline constexpr std::uint64_t writer = std::uint64_t{1} << 34;

WATARI_KERNEL constexpr page_state state(std::uint64_t word) {
    return static_cast<page_state>(word & 7);
}

/// How many hold the page; 2^30 at most, which is more threads than a GPU has.
WATARI_KERNEL constexpr std::uint64_t holders(std::uint64_t word) {
    return (word & (writer - 1)) / holder;
}

/// How many of them write to it.
WATARI_KERNEL constexpr std::uint64_t writers(std::uint64_t word) { return word / writer; }

WATARI_KERNEL constexpr std::uint64_t in(page_state s) { return static_cast<std::uint64_t>(s); }

/// What to add to a word for another state.
WATARI_KERNEL constexpr std::uint64_t change(page_state from, page_state to) {
    return in(to)-in(from);
}

/// Whether the bytes are those of the page.
WATARI_KERNEL constexpr bool valid(page_state s) {
    return s == page_state::clean || s == page_state::dirty || s == page_state::writing;
}

}  // namespace page
}  // namespace watari::WATARI_BACKEND
