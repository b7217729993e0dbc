/// The directory of a cache: it maps pages to slots and moves no data. Its size depends on the
/// cache alone, not on the store.
///
/// A page may be in any way of one set. Consecutive pages are in different sets, so an array of the
/// cache's size fits into the cache (except at its ends); longer strides are hashed. A thread finds
/// a page without a lock: it compares tags, holds the slot and checks the tag again. A page enters
/// a set under the set's lock, so it is never in the set twice.
///
/// The lock is held for a few dozen instructions, and its holder waits for nothing.
///
/// Without the lock a tag is a hint, so relaxed loads read the tags, several in flight at once.
/// Under the lock a tag is no hint: the tags of pages are written under the lock, which orders
/// them. A thread that empties a slot without the lock has written nothing to the store that the
/// next reader must see. The user of a spare slot may have: its tag is loaded with acquire.
#pragma once

#include "watari/core/parallel/atomic.hpp"
#include "watari/core/parallel/warp.hpp"
#include "watari/storage/cache/cache_memory.hpp"
#include "watari/storage/cache/page.hpp"
#include "watari/storage/cache/second_chance.hpp"
#include "watari/storage/cache/step.hpp"
#include "watari/storage/cache/ways.hpp"
#include "watari/storage/nvme/nvme.hpp"

#include <bit>
#include <cstdint>

namespace watari::WATARI_BACKEND {

template <class Policy>
struct directory {
    static constexpr std::uint64_t none = storage::no_page;

    storage::cache_memory memory;

    WATARI_KERNEL std::uint64_t slots() const { return (memory.set_mask + 1) * memory.ways; }

    WATARI_KERNEL std::uint64_t set_of(std::uint64_t page) const {
        const std::uint64_t run = page >> memory.set_bits;
        return (page + (run * 0x9e3779b97f4a7c15u >> 32)) & memory.set_mask;
    }

    /// The spare slot of a page whose set is full.
    WATARI_KERNEL std::uint64_t spare_of(std::uint64_t page) const {
        return slots() + set_of(page) % memory.spares;
    }

    /// Returns the slot that has the page, or none. All threads of a group call it.
    WATARI_KERNEL std::uint64_t find(const group& members, std::uint64_t page) const {
        const unsigned way = way_of(page, members.rank(), members.size());
        const unsigned who = members.leading(way == memory.ways);
        return who < members.size() ? slot_of(page, members.broadcast(way, who)) : none;
    }

    /// As above, by one thread.
    WATARI_KERNEL std::uint64_t find(std::uint64_t page) const {
        const unsigned way = way_of(page, 0, 1);
        return way < memory.ways ? slot_of(page, way) : none;
    }

    /// The fast path of join: holds a slot if its page can be used at once, else leaves it; returns
    /// whether it holds the slot.
    WATARI_KERNEL bool join_valid(std::uint64_t slot, std::uint64_t page, intent why) const {
        const std::uint64_t counted =
            why == intent::read ? page::holder : page::holder + page::writer;
        std::uint64_t& word = memory.words[slot];
        const std::uint64_t seen = local::fetch_add(word, counted);
        const page_state state = page::state(seen);
        const bool usable = state == page_state::clean || state == page_state::dirty ||
                            (state == page_state::writing && why == intent::read);
        if (!usable || local::load_acquire(memory.tags[slot]) != page)
            return leave(slot, counted), false;
        if (why != intent::read && state == page_state::clean) local::set_bits(word, page::newer);
        Policy::touched(word, seen);
        return true;
    }

    /// Holds a slot in which `page` was found, and waits for its data. Returns action use, again,
    /// failed or late. If the page is already poisoned, claims it again and returns the action of
    /// claim. Called by one thread.
    WATARI_KERNEL step join(std::uint64_t slot, std::uint64_t page, intent why,
                            timeout& wait) const {
        std::uint64_t& word = memory.words[slot];
        std::uint64_t seen = local::fetch_add(word, page::holder);
        if (page::state(seen) == page_state::empty ||
            local::load_acquire(memory.tags[slot]) != page ||
            page::state(seen) == page_state::poisoned) {
            leave(slot, page::holder);
            return page::state(seen) == page_state::poisoned ? claim(page, true)
                                                             : make_step(next_action::again);
        }
        Policy::touched(word, seen);
        for (; page::state(seen) == page_state::filling; seen = local::load_acquire(word))
            if (wait.over()) return leave(slot, page::holder), make_step(next_action::late);
        if (page::state(seen) == page_state::empty)
            return leave(slot, page::holder), make_step(next_action::again);
        if (page::state(seen) == page_state::poisoned) {
            const auto status = std::bit_cast<std::uint32_t>(memory.failures[slot]);
            return leave(slot, page::holder), make_step(next_action::failed, status);
        }
        if (why != intent::read && !begin_writing(slot, wait))
            return leave(slot, page::holder), make_step(next_action::late);
        return make_step(next_action::use, slot);
    }

    /// Claims a slot for a page that was not found. Returns action again, fill, pass or evict.
    /// Called by one thread.
    WATARI_KERNEL step claim(std::uint64_t page, bool may_evict) const {
        storage::cache_set& set = memory.sets[set_of(page)];
        if (!local::replace(set.lock, 0u, 1u)) return make_step(next_action::again);
        const step next = claim_locked(page, set, may_evict);
        local::store_release(set.lock, 0u);
        return next;
    }

    /// Claims a slot to read a page that was not found. Takes only a slot that is not dirty and
    /// that no thread holds; returns none if there is none now. Called by one thread.
    WATARI_KERNEL std::uint64_t claim_free(std::uint64_t page) const {
        storage::cache_set& set = memory.sets[set_of(page)];
        if (!local::replace(set.lock, 0u, 1u)) return none;
        step next = make_step(next_action::again);
        if (find(page) == none && !in_spare(page)) next = take_victim(page, set, false);
        local::store_release(set.lock, 0u);
        if (static_cast<next_action>(next.action) ==
            next_action::evict)  // it became dirty meanwhile
            turn(next.where, page_state::writing, page_state::dirty);
        return static_cast<next_action>(next.action) == next_action::fill ? next.where : none;
    }

    /// Empties a slot that the caller brought into state filling; threads that waited for its page
    /// look again.
    WATARI_KERNEL void let_go(std::uint64_t slot) const {
        local::store_release(memory.tags[slot], none);
        turn(slot, page_state::filling, page_state::empty, 0 - page::holder);
    }

    /// Brings a slot into state writing if it has this page, dirty and not doubtful; returns
    /// whether it did. Never waits.
    WATARI_KERNEL bool try_write_back(std::uint64_t slot, std::uint64_t page) const {
        const std::uint64_t seen = local::load_acquire(memory.words[slot]);
        const std::uint64_t change = page::change(page_state::dirty, page_state::writing);
        if (page::state(seen) != page_state::dirty ||
            !local::replace(memory.words[slot], seen, seen + change))
            return false;
        if (local::load_acquire(memory.tags[slot]) == page && !is_doubtful(slot)) return true;
        turn(slot, page_state::writing, page_state::dirty);
        return false;
    }

    /// Brings a slot into state writing. Returns 1: the caller must write the page back; 0: nothing
    /// to do; -1: timeout. With `durable` a clean page is written, too: the store may not have it
    /// on its medium.
    WATARI_KERNEL int begin_write_back(std::uint64_t slot, bool durable, timeout& wait) const {
        std::uint64_t& word = memory.words[slot];
        for (;;) {
            const std::uint64_t seen = local::load_acquire(word);
            const page_state state = page::state(seen);
            if (state == page_state::dirty || (durable && state == page_state::clean)) {
                const std::uint64_t next = seen + page::change(state, page_state::writing);
                if (local::replace(word, seen, next)) return 1;
            } else if (state != page_state::writing) {
                return 0;
            } else if (wait.over()) {
                return -1;
            }
        }
    }

    /// Ends the state writing, into which the caller brought the page: it becomes clean, or dirty
    /// after an error. A write that timed out may still reach the store, so its page is doubtful.
    WATARI_KERNEL void end_write_back(std::uint64_t slot, storage::status status) const {
        if (status.is(storage::timed_out)) memory.failures[slot] = status;
        turn(slot, page_state::writing, status.ok() ? page_state::clean : page_state::dirty);
    }

    /// Whether an earlier write of a page, which the caller brought into state writing, may reach
    /// the store after a write that begins now.
    WATARI_KERNEL bool is_doubtful(std::uint64_t slot) const {
        return memory.failures[slot].is(storage::timed_out);
    }

    /// Ends the doubt: no such write can come any more.
    WATARI_KERNEL void trust(std::uint64_t slot) const { memory.failures[slot] = {}; }

    /// Waits until no thread writes to a page in state writing; false after a timeout. Writers hold
    /// no other page and wait for nothing.
    WATARI_KERNEL bool writers_left(std::uint64_t slot, timeout& wait) const {
        while (page::writers(local::load_acquire(memory.words[slot])) != 0)
            if (wait.over()) return false;
        return true;
    }

    /// Changes the state; called by the thread that brought the page into state filling or writing.
    WATARI_KERNEL void turn(std::uint64_t slot, page_state from, page_state to,
                            std::uint64_t plus = 0) const {
        local::add_release(memory.words[slot], page::change(from, to) + plus);
    }

    /// Subtracts what the caller was counted as: holder, writer or both.
    WATARI_KERNEL void leave(std::uint64_t slot, std::uint64_t counted) const {
        local::add_release(memory.words[slot], 0 - counted);
    }

private:
    /// Returns the way among first, first + every, ... that has the page, or `ways`.
    WATARI_KERNEL unsigned way_of(std::uint64_t page, unsigned first, unsigned every) const {
        unsigned found = memory.ways;
        const std::uint64_t* const tags = memory.tags + slot_of(page, 0);
        each_way(
            memory.ways, first, every,
            [&](unsigned way) -> const std::uint64_t& { return tags[way]; },
            [&](unsigned way, std::uint64_t tag) {
                if (tag == page) found = way;
                return tag != page;
            });
        return found;
    }

    WATARI_KERNEL std::uint64_t slot_of(std::uint64_t page, unsigned way) const {
        return set_of(page) * memory.ways + way;
    }

    WATARI_KERNEL bool in_spare(std::uint64_t page) const {
        return local::load_acquire(memory.tags[spare_of(page)]) == page;
    }

    /// Counts a holder as a writer and makes the page dirty; waits while it is being written back.
    /// False after a timeout.
    WATARI_KERNEL bool begin_writing(std::uint64_t slot, timeout& wait) const {
        std::uint64_t& word = memory.words[slot];
        for (;;) {
            const page_state state = page::state(local::fetch_add(word, page::writer));
            if (state != page_state::writing) {
                if (state == page_state::clean) local::set_bits(word, page::newer);
                return true;
            }
            leave(slot, page::writer);
            while (page::state(local::load_acquire(word)) == page_state::writing)
                if (wait.over()) return false;
        }
    }

    WATARI_KERNEL step claim_locked(std::uint64_t page, storage::cache_set& set,
                                    bool may_evict) const {
        if (const std::uint64_t slot = find(page); slot != none) return claim_poisoned(slot);
        if (in_spare(page)) return make_step(next_action::again);
        const step next = take_victim(page, set, may_evict);
        if (static_cast<next_action>(next.action) != next_action::pass) return next;
        return local::replace(memory.tags[next.where], none, page) ? next
                                                                   : make_step(next_action::again);
    }

    /// Takes a slot of the set for a missing page. Action pass: no slot can be taken.
    WATARI_KERNEL step take_victim(std::uint64_t page, storage::cache_set& set,
                                   bool may_evict) const {
        std::uint64_t* const words = memory.words + slot_of(page, 0);
        const unsigned way = Policy::victim(words, memory.ways, set.hand, may_evict);
        return way == Policy::none ? make_step(next_action::pass, spare_of(page))
                                   : take(slot_of(page, way), page);
    }

    /// Claims a poisoned page to read it again, once the threads that waited for it have left.
    WATARI_KERNEL step claim_poisoned(std::uint64_t slot) const {
        const std::uint64_t seen = local::load_acquire(memory.words[slot]);
        if (page::state(seen) != page_state::poisoned || page::holders(seen) != 0)
            return make_step(next_action::again);
        const std::uint64_t next =
            seen + page::change(page_state::poisoned, page_state::filling) + page::holder;
        if (!local::replace(memory.words[slot], seen, next)) return make_step(next_action::again);
        trust(slot);
        return make_step(next_action::fill, slot);
    }

    /// Gives a slot that no thread holds to another page. The slot is empty first: a thread that
    /// looks for either page meanwhile looks again.
    WATARI_KERNEL step take(std::uint64_t slot, std::uint64_t page) const {
        const std::uint64_t seen = local::load_acquire(memory.words[slot]);
        const page_state state = page::state(seen);
        if (page::holders(seen) != 0 || state == page_state::filling ||
            state == page_state::writing)
            return make_step(next_action::again);
        if (state == page_state::dirty) {
            const std::uint64_t next = seen + page::change(state, page_state::writing);
            return local::replace(memory.words[slot], seen, next)
                       ? make_step(next_action::evict, slot)
                       : make_step(next_action::again);
        }
        if (!local::replace(memory.words[slot], seen, page::holder))
            return make_step(next_action::again);
        local::store_release(memory.tags[slot], page);
        trust(slot);
        turn(slot, page_state::empty, page_state::filling);
        return make_step(next_action::fill, slot);
    }
};

}  // namespace watari::WATARI_BACKEND
