/// Missing pages of a range, read before their turn: neighbours in one command, several commands
/// under way. Nothing is looked at ahead as long as every page is there.
///
/// Why that cannot deadlock. Whoever has pages in state filling here waits for the store alone: an
/// identifier and anybody else's page are waited for only after `finish`. A page whose command
/// failed is let go: whoever wants it reads it alone, and gets its status.
#pragma once

#include "watari/storage/cache.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

/// Reads ahead in pages first to last, those without `last`. Called by all of a group, which calls
/// `finish` before it is destroyed.
template <class Cache>
class read_ahead {
public:
    WATARI_KERNEL read_ahead(const Cache& cache, std::uint64_t first, std::uint64_t last)
        : cache_(cache), next_(first), last_(first + 1 < last ? last : first) {}

    /// As cache.acquire, for one page of the range after the other.
    WATARI_KERNEL held_page acquire(const group& members, std::uint64_t page, intent why) {
        held_page held{};
        if constexpr (takes_commands<decltype(Cache::store)>) {
            if (next_ < last_ || under_way()) {
                if (!under_way() && cache_.hit(members, page, why, held)) return held;
                reach(members, page);
                if (cache_.hit(members, page, why, held)) return held;
                finish(members);
            }
        }
        return cache_.acquire(members, page, why);
    }

    WATARI_KERNEL void finish(const group& members) {
        if constexpr (takes_commands<decltype(Cache::store)>)
            while (under_way()) end(members);
    }

private:
    static constexpr unsigned most = 4;  ///< commands under way

    struct run {
        token at;
        page_run pages;
    };

    WATARI_KERNEL bool under_way() const { return begun_ != ended_; }

    /// Begins to read what is missing from `page` on, and ends what has begun of `page`.
    [[gnu::noinline]] WATARI_KERNEL void reach(const group& members, std::uint64_t page) {
        if (next_ < page) next_ = page;
        const std::uint64_t window = page + most * most_pages(cache_);
        while (begun_ - ended_ < most && next_ < last_ && next_ < window && begin(members)) {
        }
        while (under_way() && runs_[ended_ % most].pages.first <= page) end(members);
    }

    WATARI_KERNEL bool claim(const group& members, std::uint64_t page) const {
        bool mine = cache_.pages.find(members, page) == cache_.pages.none;
        if (mine && members.leads()) mine = cache_.pages.claim_free(page) != cache_.pages.none;
        return members.broadcast(mine);
    }

    /// Looks at the next pages and begins one command, if any is missing; false: there is no
    /// identifier now, or no slot.
    WATARI_KERNEL bool begin(const group& members) {
        if (cache_.pages.find(members, next_) != cache_.pages.none) return ++next_, true;
        page_run pages{next_, 0};
        while (pages.count < most_pages(cache_) && pages.first + pages.count < last_ &&
               claim(members, pages.first + pages.count))
            ++pages.count;
        if (pages.count == 0) return false;
        run next{cache_.store.take(members, false), pages};
        if (!next.at.taken || blocks_of(cache_, pages) == 0) {
            let_go(members, pages);
            return false;
        }
        const std::uint64_t block = pages.first * (cache_.page_bytes() / cache_.store.block_bytes);
        cache_.store.send(members, next.at, storage::opcode::read, block, blocks_of(cache_, pages),
                          false);
        next_ += pages.count;
        runs_[begun_++ % most] = next;
        return true;
    }

    [[gnu::noinline]] WATARI_KERNEL void end(const group& members) {
        const run& oldest = runs_[ended_++ % most];
        const storage::status status = cache_.store.wait(members, oldest.at);
        if (!status.ok()) {
            let_go(members, oldest.pages);
        } else {
            copy_run(members, cache_, oldest.pages, cache_.store.data(oldest.at), true);
            for (std::uint64_t i = 0; i < oldest.pages.count; ++i) {
                const std::uint64_t slot = cache_.pages.find(members, oldest.pages.first + i);
                if (members.leads())
                    cache_.pages.turn(slot, page_state::filling, page_state::clean,
                                      0 - page::holder);
            }
            if (members.leads())
                local::fetch_add(cache_.pages.memory.counters->fills, oldest.pages.count);
        }
        cache_.store.release(members, oldest.at);
    }

    /// Pages that were not read: whoever wants one reads it alone, and gets its status.
    WATARI_KERNEL void let_go(const group& members, const page_run& pages) const {
        for (std::uint64_t i = 0; i < pages.count; ++i) {
            const std::uint64_t slot = cache_.pages.find(members, pages.first + i);
            if (members.leads()) cache_.pages.let_go(slot);
            members.sync();
        }
    }

    const Cache& cache_;
    std::uint64_t next_, last_;
    run runs_[most];
    unsigned begun_ = 0, ended_ = 0;
};

}  // namespace watari::WATARI_BACKEND
