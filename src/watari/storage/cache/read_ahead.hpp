/// Missing pages of a range, read before their turn: neighbours in one command, several commands
/// in flight. While every page is in the cache, nothing is read ahead.
///
/// Why this cannot deadlock. A group with pages in state filling waits only for the store. It waits
/// for an identifier only while it has no such page and no command, and for a page of another group
/// only after `finish`. It holds a page that has arrived until the turn of that page, and waits for
/// no other page then. No group waits for a reader of a page. A page whose command failed is
/// released: the next group that wants it reads it alone, and gets its status.
#pragma once

#include "watari/storage/cache/cache.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

/// Reads ahead in pages [first, last). All threads of a group call each function, and call `finish`
/// before the object is destroyed.
template <class Cache>
class read_ahead {
public:
    WATARI_KERNEL read_ahead(const Cache& cache, std::uint64_t first, std::uint64_t last)
        : cache_(cache), next_(first), last_(first + 1 < last ? last : first) {}

    /// As cache.acquire, for the pages of the range in order.
    WATARI_KERNEL held_page acquire(const group& members, std::uint64_t page, intent why) {
        held_page held{};
        if (here_.count > 0) return next_here(members);
        if (!under_way() && cache_.hit(members, page, why, held)) return held;
        return acquire_missing(members, page, why);
    }

    WATARI_KERNEL void finish(const group& members) {
        if (under_way() || here_.count > 0) end_all(members);
    }

private:
    static constexpr std::uint64_t none = storage::no_page;
    static constexpr unsigned most = 4;  ///< commands in flight

    struct run {
        token at;
        page_run pages;
    };

    WATARI_KERNEL bool under_way() const { return begun_ != ended_; }

    /// Returns the next of the pages that have arrived and are held.
    WATARI_KERNEL held_page next_here(const group& members) {
        const std::uint64_t page = here_.first++, slot = cache_.pages.find(members, page);
        --here_.count;
        return {cache_.address(page, slot), page, slot, intent::read, false, {}};
    }

    [[gnu::noinline]] WATARI_KERNEL held_page acquire_missing(const group& members,
                                                              std::uint64_t page, intent why) {
        if constexpr (takes_commands<decltype(Cache::store)>) {
            reach(members, page);
            if (here_.count > 0) return next_here(members);
            held_page held{};
            if (under_way() && cache_.hit(members, page, why, held)) return held;
            finish(members);
        }
        return cache_.acquire_missing(members, page, why);
    }

    /// Begins to read missing pages from `page` on, and ends the command whose first page is
    /// `page`.
    WATARI_KERNEL void reach(const group& members, std::uint64_t page) {
        if (next_ < page) next_ = page;
        const std::uint64_t window = page + most * most_pages(cache_);
        for (bool come = true; come;) {
            while (begun_ - ended_ < most && next_ < last_ && next_ < window &&
                   begin(members, page)) {
            }
            come = under_way() && runs_[ended_ % most].pages.first == page;
            if (come) end(members);
        }
    }

    /// Skips pages that are in the cache, or begins one command for missing pages. Returns false if
    /// no identifier or slot is free, or at the store's end.
    WATARI_KERNEL bool begin(const group& members, std::uint64_t wanted) {
        const std::uint64_t own = next_ + members.rank();
        const bool there = own < last_ && cache_.pages.find(own) != none;
        if (const unsigned some = members.leading(there); some > 0) {
            next_ += some;
            return true;
        }
        if (blocks_of(cache_, {next_, 1}) == 0) return false;
        // waits for an identifier only for the wanted page: no command is in flight then
        run next{cache_.store.take(members, next_ == wanted), {next_, 0}};
        if (!next.at.taken) return false;
        while (const unsigned some = claim(members, next.pages)) next.pages.count += some;
        if (next.pages.count == 0) return cache_.store.give_back(members, next.at), false;
        const std::uint64_t block = next_ * (cache_.page_bytes() / cache_.store.block_bytes);
        cache_.store.send(members, next.at, storage::opcode::read, block,
                          blocks_of(cache_, next.pages), false);
        next_ += next.pages.count;
        runs_[begun_++ % most] = next;
        return true;
    }

    /// Claims the pages that follow a run, one by each lane, and returns their number. Pages after
    /// the first one that was not claimed are released again.
    WATARI_KERNEL unsigned claim(const group& members, const page_run& run) const {
        const std::uint64_t number = run.count + members.rank(), page = run.first + number;
        std::uint64_t slot = none;
        bool missing = number < most_pages(cache_) && page < last_;
        missing = missing && cache_.pages.find(page) == none;
        if (members.rank() < members.leading(missing)) slot = cache_.pages.claim_free(page);
        const unsigned some = members.leading(slot != none);
        if (slot != none && members.rank() >= some) cache_.pages.let_go(slot);
        return some;
    }

    /// Ends the oldest command. After success its pages are in the cache and held; after an error
    /// their slots are empty again.
    [[gnu::noinline]] WATARI_KERNEL void end(const group& members) {
        const run& oldest = runs_[ended_++ % most];
        const storage::status status = cache_.store.wait(members, oldest.at);
        if (status.ok()) {
            copy_run(members, cache_, oldest.pages, cache_.store.data(oldest.at), true);
            turn_run(members, cache_, oldest.pages, page_state::filling, page_state::clean);
            if (members.leads())
                local::fetch_add(cache_.pages.memory.counters->fills, oldest.pages.count);
            here_ = oldest.pages;
        } else {
            page_to_a_lane(members, cache_, oldest.pages,
                           [&](std::uint64_t slot, std::uint64_t, unsigned) {
                               if (slot != none) cache_.pages.let_go(slot);
                           });
        }
        cache_.store.release(members, oldest.at);
    }

    /// Releases the held pages and ends every command.
    [[gnu::noinline]] WATARI_KERNEL void end_all(const group& members) {
        if constexpr (takes_commands<decltype(Cache::store)>)
            for (;; end(members)) {
                page_to_a_lane(members, cache_, here_,
                               [&](std::uint64_t slot, std::uint64_t, unsigned) {
                                   if (slot != none) cache_.pages.leave(slot, page::holder);
                               });
                here_.count = 0;
                if (!under_way()) return;
            }
    }

    const Cache& cache_;
    std::uint64_t next_, last_;
    page_run here_{0, 0};  ///< arrived pages, held until their turn
    run runs_[most];
    unsigned begun_ = 0, ended_ = 0;
};

}  // namespace watari::WATARI_BACKEND
