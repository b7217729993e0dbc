/// The word of a page in the cache. One atomic word has its state, whether it was used since the
/// clock's hand last passed, the number of its holders, and the number of those that write to it.
///
///     empty ----> filling ----> clean <----> dirty        a page in a slot
///       ^          |   ^          |  \         |
///       |          v   |          |   v        v
///       +------- poisoned         +-- writing -+
///
///
/// (A page whose read ahead of its turn failed becomes empty again.)
///
/// empty: no page. filling: being read from the store, or overwritten whole for the first time.
/// clean: as in the store. dirty: the store has to be updated. writing: the store is being updated;
/// may be read, may not be written. poisoned: could not be read; the slot's entry in `failures`
/// says why.
///
/// A slot gets another page only when no thread holds it. Its tag is stable for a thread that holds
/// it and saw it in a state other than empty.
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

/// Number of holders of the page; it has 30 bits, enough for all threads of a GPU.
WATARI_KERNEL constexpr std::uint64_t holders(std::uint64_t word) {
    return (word & (writer - 1)) / holder;
}

/// Number of holders that write to the page.
WATARI_KERNEL constexpr std::uint64_t writers(std::uint64_t word) { return word / writer; }

WATARI_KERNEL constexpr std::uint64_t in(page_state s) { return static_cast<std::uint64_t>(s); }

/// Returns the number to add to a word to change its state.
WATARI_KERNEL constexpr std::uint64_t change(page_state from, page_state to) {
    return in(to)-in(from);
}

/// Whether the slot has the data of the page.
WATARI_KERNEL constexpr bool valid(page_state s) {
    return s == page_state::clean || s == page_state::dirty || s == page_state::writing;
}

}  // namespace page
}  // namespace watari::WATARI_BACKEND
