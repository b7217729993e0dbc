/// A cache of a store's pages, for any thread or group of lanes, in divergent code.
///
/// Store is the type of the store, a value that kernels take. It has `block_bytes`, `blocks` and
///     status read(const group&, std::uint64_t block, std::uint32_t count, void* destination)
///     status write(const group&, std::uint64_t block, std::uint32_t count, const void*, bool fua)
///     status flush(const group&)
/// which return within their own timeout.
///
/// Why it cannot deadlock. Threads wait here for four things: a page that is being filled, a page
/// that is being written back, the writers of a page that is to be written back, a spare slot.
/// - A thread that fills a page, writes one back or has a spare slot waits for the store alone
///   (before a write-back, for the page's writers first). The store waits for no thread of the
///   cache.
/// - Writers copy memory between acquire and release and call nothing that waits: a thread that has
///   acquired a page for writing must release it before it acquires another.
/// - No thread waits for a slot of a set: if all are held, the page passes through a spare slot.
/// - No thread waits while it holds a lock.
/// So every chain of waits ends at the store or at a memory copy, and each wait has a timeout.
#pragma once

#include "watari/storage/cache/directory.hpp"
#include "watari/storage/cache/page_runs.hpp"

namespace watari::WATARI_BACKEND {

/// A page that the caller may use until it releases it. If `failed` is an error there is no page.
struct held_page {
    std::byte* data;
    std::uint64_t page, slot;
    intent why;
    bool fresh;  ///< no other thread may see it before it is overwritten
    storage::status failed;
};

template <class Store, class Policy = second_chance>
struct cache {
    directory<Policy> pages;
    Store store;

    WATARI_KERNEL std::size_t page_bytes() const {
        return std::size_t{1} << pages.memory.page_shift;
    }

    /// Returns the address of a page in a slot. The first slots of all sets lie side by side, then
    /// the second ones, and so on, so that consecutive pages are mostly consecutive in memory. If
    /// each set were contiguous, consecutive pages would lie a set's size apart and fall on few
    /// lines of a CPU's cache.
    WATARI_KERNEL std::byte* address(std::uint64_t page, std::uint64_t slot) const {
        const storage::cache_memory& all = pages.memory;
        const std::uint64_t set = pages.set_of(page), way = slot - set * all.ways;
        const std::uint64_t index = slot < pages.slots() ? (way << all.set_bits) + set : slot;
        return all.pages + (index << all.page_shift);
    }

    /// Holds a page for all of a group if it is in the cache; returns whether it is. With the
    /// release, this takes two atomic operations on the page's word, one more to mark the page as
    /// used, and one more to make a clean page dirty.
    WATARI_KERNEL bool hit(const group& members, std::uint64_t page, intent why,
                           held_page& held) const {
        const std::uint64_t slot = pages.find(members, page);
        if (slot == pages.none) return false;
        bool here = false;
        if (members.leads()) here = pages.join_valid(slot, page, why);
        held = {address(page, slot), page, slot, why, false, {}};
        return members.broadcast(here);
    }

    /// Holds a page for all of a group; reads it from the store if it is not in the cache.
    WATARI_KERNEL held_page acquire(const group& members, std::uint64_t page, intent why) const {
        held_page held{};
        return hit(members, page, why, held) ? held : acquire_missing(members, page, why);
    }

    /// As acquire, after a miss. Not inlined, so that a hit does not pay for its registers.
    [[gnu::noinline]] WATARI_KERNEL held_page acquire_missing(const group& members,
                                                              std::uint64_t page,
                                                              intent why) const {
        timeout wait{pages.memory.limit_ns};
        for (unsigned evictions = 0;;) {
            const std::uint64_t slot = pages.find(members, page);
            step next{};
            if (members.leads())
                next = slot == pages.none ? pages.claim(page, evictions < most_evictions)
                                          : pages.join(slot, page, why, wait);
            next = members.broadcast(next);
            const std::uint64_t where = next.where;
            switch (static_cast<next_action>(next.action)) {
                case next_action::use:
                    return {address(page, where), page, where, why, false, {}};
                case next_action::fill:
                case next_action::pass:
                    return fill(members, page, where, why);
                case next_action::evict:  // after a failure the page is dirty: evict clean ones
                    evictions = put(members, where, false).ok() ? evictions + 1 : most_evictions;
                    break;
                case next_action::failed:
                    return failure(
                        std::bit_cast<storage::status>(static_cast<std::uint32_t>(where)));
                case next_action::late:
                    return failure(storage::timed_out);
                case next_action::again:
                    if (members.broadcast(members.leads() && wait.over()))
                        return failure(storage::timed_out);
            }
        }
    }

    /// Releases a page. With `durable`, a written page is on the store's medium when the status is
    /// ok; without, a flush must follow. If the status is an error, a page in the cache stays
    /// dirty. After timed_out the write may still reach the store. Until that command completes or
    /// the controller is reset, every further write of the page also ends with timed_out.
    WATARI_KERNEL storage::status release(const group& members, const held_page& held,
                                          bool durable = false) const {
        members.sync();
        if (held.slot >= pages.slots()) return release_spare(members, held, durable);
        const bool wrote = held.why != intent::read;
        if (members.leads()) {
            const std::uint64_t last = durable && wrote ? 0 : page::holder;
            if (held.fresh)
                pages.turn(held.slot, page_state::filling, page_state::dirty, 0 - last);
            else
                pages.leave(held.slot, last + (wrote ? page::writer : 0));
        }
        if (!durable || !wrote) return {};
        const storage::status status = write_back(members, held.slot, true);
        if (members.leads()) pages.leave(held.slot, page::holder);
        return status;
    }

    /// Writes back every dirty page among slots first, first + every, ...; returns the first status
    /// that is an error. Pages whose write failed stay dirty.
    [[gnu::noinline]] WATARI_KERNEL storage::status write_back_all(const group& members,
                                                                   std::uint64_t first,
                                                                   std::uint64_t every) const {
        storage::status result{};
        for (std::uint64_t slot = first; slot < pages.slots(); slot += every) {
            const storage::status status = write_back(members, slot, false);
            if (result.ok()) result = status;
        }
        return result;
    }

    /// Makes the earlier writes of this thread, and of threads it has synchronised with, durable:
    /// they are on the store's medium when the status is ok.
    WATARI_KERNEL storage::status flush(const group& members) const {
        const storage::status written = write_back_all(members, 0, 1);
        const storage::status flushed = store.flush(members);
        return written.ok() ? flushed : written;
    }

private:
    static constexpr unsigned most_evictions = 4;

    WATARI_KERNEL static held_page failure(storage::status status) {
        return {nullptr, 0, 0, intent::read, false, status};
    }

    WATARI_KERNEL void count(const group& members, std::uint64_t& counter) const {
        if (members.leads()) local::fetch_add(counter, std::uint64_t{1});
    }

    /// Reads a page, up to the store's end.
    WATARI_KERNEL storage::status read(const group& members, std::uint64_t page,
                                       std::byte* data) const {
        const extent part = extent_of(page);
        const storage::status status = part.count == 0
                                           ? storage::lba_out_of_range
                                           : store.read(members, part.block, part.count, data);
        if (!status.ok()) count(members, pages.memory.counters->failed_reads);
        return status;
    }

    WATARI_KERNEL storage::status write(const group& members, std::uint64_t page,
                                        const std::byte* data, bool durable) const {
        const extent part = extent_of(page);
        const storage::status status =
            part.count == 0 ? storage::lba_out_of_range
                            : store.write(members, part.block, part.count, data, durable);
        count(members,
              status.ok() ? pages.memory.counters->written : pages.memory.counters->failed_writes);
        return status;
    }

    struct extent {
        std::uint64_t block;
        std::uint32_t count;
    };
    WATARI_KERNEL extent extent_of(std::uint64_t page) const {
        const std::uint64_t each = page_bytes() / store.block_bytes, block = page * each;
        const std::uint64_t left = block < store.blocks ? store.blocks - block : 0;
        return {block, static_cast<std::uint32_t>(left < each ? left : each)};
    }

    /// Reads a page into a slot or spare slot that the caller owns, unless the page is to be
    /// overwritten.
    [[gnu::noinline]] WATARI_KERNEL held_page fill(const group& members, std::uint64_t page,
                                                   std::uint64_t slot, intent why) const {
        const bool spare = slot >= pages.slots();
        if (spare) count(members, pages.memory.counters->passed);
        const held_page held{address(page, slot), page, slot, why, !spare, {}};
        if (why == intent::overwrite) return held;
        if (!spare) count(members, pages.memory.counters->fills);
        const storage::status status = read(members, page, held.data);
        members.sync();
        if (members.leads()) {
            if (!status.ok())
                give_up(slot, status);
            else if (!spare && why == intent::write)
                pages.turn(slot, page_state::filling, page_state::dirty, page::writer);
            else if (!spare)
                pages.turn(slot, page_state::filling, page_state::clean);
        }
        if (!status.ok()) return failure(status);
        return {held.data, page, slot, why, false, {}};
    }

    /// Poisons the page of a slot, or frees a spare slot.
    WATARI_KERNEL void give_up(std::uint64_t slot, storage::status status) const {
        if (slot >= pages.slots()) {
            local::store_release(pages.memory.tags[slot], pages.none);
            return;
        }
        pages.memory.failures[slot] = status;
        pages.turn(slot, page_state::filling, page_state::poisoned, 0 - page::holder);
    }

    [[gnu::noinline]] WATARI_KERNEL storage::status release_spare(const group& members,
                                                                  const held_page& held,
                                                                  bool durable) const {
        storage::status status{};
        if (held.why != intent::read) status = write(members, held.page, held.data, durable);
        if constexpr (takes_commands<Store>) {  // the next holder of the page may write it, too
            timeout wait{pages.memory.limit_ns};
            while (status.is(storage::timed_out) && !store.settled(members) &&
                   !members.broadcast(members.leads() && wait.over())) {
            }
        }
        members.sync();
        if (members.leads()) local::store_release(pages.memory.tags[held.slot], pages.none);
        return status;
    }

    [[gnu::noinline]] WATARI_KERNEL storage::status write_back(const group& members,
                                                               std::uint64_t slot,
                                                               bool durable) const {
        timeout wait{pages.memory.limit_ns};
        int mine = 0;
        if (members.leads()) mine = pages.begin_write_back(slot, durable, wait);
        mine = members.broadcast(mine);
        if (mine == 0) return {};
        return mine < 0 ? storage::timed_out : put(members, slot, durable);
    }

    /// Writes a page that the caller brought into state writing, with its dirty neighbours in one
    /// command if the store supports that. If that command fails, other than by a timeout, writes
    /// each page alone and returns the status of the given page. Every page is then clean or dirty.
    [[gnu::noinline]] WATARI_KERNEL storage::status put(const group& members, std::uint64_t slot,
                                                        bool durable) const {
        if constexpr (takes_commands<Store>) {
            if (!may_be_written(members, slot)) {
                if (members.leads()) pages.end_write_back(slot, storage::timed_out);
                return storage::timed_out;
            }
            const page_run run = dirty_around(members, *this, pages.memory.tags[slot]);
            if (run.count == 1) return put_one(members, slot, durable);
            storage::status status = write_run(members, *this, run, durable);
            if (status.ok() || status.is(storage::timed_out)) {
                if (status.ok() && members.leads())
                    local::fetch_add(pages.memory.counters->written, run.count);
                end_run(members, *this, run, status);
                members.sync();
                return status;
            }
            for (std::uint64_t i = 0; i < run.count; ++i) {
                const std::uint64_t each = pages.find(members, run.first + i);
                const storage::status alone = put_one(members, each, durable);
                if (each == slot) status = alone;
            }
            return status;
        } else {
            return put_one(members, slot, durable);
        }
    }

    /// Whether the caller may write a page that it brought into state writing: no earlier write
    /// that timed out can still reach the store and undo the new one.
    WATARI_KERNEL bool may_be_written(const group& members, std::uint64_t slot) const {
        if (!pages.is_doubtful(slot)) return true;
        if (!store.settled(members)) return false;
        if (members.leads()) pages.trust(slot);
        members.sync();
        return true;
    }

    [[gnu::noinline]] WATARI_KERNEL storage::status put_one(const group& members,
                                                            std::uint64_t slot,
                                                            bool durable) const {
        timeout wait{pages.memory.limit_ns};
        const std::uint64_t page = pages.memory.tags[slot];
        storage::status status = storage::timed_out;
        if (members.broadcast(members.leads() && pages.writers_left(slot, wait)))
            status = write(members, page, address(page, slot), durable);
        members.sync();
        if (members.leads()) pages.end_write_back(slot, status);
        return status;
    }
};

}  // namespace watari::WATARI_BACKEND
