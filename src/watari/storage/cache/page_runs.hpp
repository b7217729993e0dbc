/// Neighbouring pages in one command, where the store takes commands in parts: a dirty page is
/// written back with its dirty neighbours.
///
/// Why this cannot deadlock. A group with pages in state writing waits only for their writers,
/// which wait for nothing, and for the store.
#pragma once

#include "watari/storage/cache/directory.hpp"
#include "watari/storage/nvme/namespace.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::WATARI_BACKEND {

/// A store whose commands begin and end in separate calls: `take`, `data`, `send` or `give_back`,
/// `wait` and `release`. A command that timed out may still write until `settled` is true.
template <class Store>
concept takes_commands = requires(const Store& store) {
    store.most_blocks();
};

/// Pages [first, first + count).
struct page_run {
    std::uint64_t first, count;
};

/// Number of blocks in a run, without those behind the store's end.
template <class Cache>
WATARI_KERNEL std::uint32_t blocks_of(const Cache& cache, const page_run& run) {
    const std::uint64_t each = cache.page_bytes() / cache.store.block_bytes;
    const std::uint64_t first = run.first * each;
    const std::uint64_t left = first < cache.store.blocks ? cache.store.blocks - first : 0;
    return static_cast<std::uint32_t>(left < run.count * each ? left : run.count * each);
}

/// Number of pages that one command carries; 0 if a page is larger than a command.
template <class Cache>
WATARI_KERNEL std::uint64_t most_pages(const Cache& cache) {
    return cache.store.most_blocks() * std::uint64_t{cache.store.block_bytes} / cache.page_bytes();
}

/// Calls body(slot, done, some) for the pages of a run, one page for each lane at a time: lane i
/// below `some` gets the slot of page run.first + done + i, the other lanes get none. The caller
/// must hold the pages, or have them in state filling or writing, so that they keep their slots.
template <class Cache, class Body>
WATARI_KERNEL void page_to_a_lane(const group& members, const Cache& cache, const page_run& run,
                                  Body body) {
    members.sync();  // every lane now sees the tags that another lane of the group wrote or saw
    for (std::uint64_t done = 0; done < run.count; done += members.size()) {
        const std::uint64_t left = run.count - done;
        const unsigned some = left < members.size() ? static_cast<unsigned>(left) : members.size();
        const std::uint64_t page = run.first + done + members.rank();
        body(members.rank() < some ? cache.pages.find(page) : cache.pages.none, done, some);
    }
}

/// Changes the state of pages that the caller brought into state `from`, a page for each lane.
template <class Cache>
WATARI_KERNEL void turn_run(const group& members, const Cache& cache, const page_run& run,
                            page_state from, page_state to) {
    page_to_a_lane(members, cache, run, [&](std::uint64_t slot, std::uint64_t, unsigned) {
        if (slot != cache.pages.none) cache.pages.turn(slot, from, to);
    });
}

/// Ends the state writing of a run; `status` is the outcome of the write.
template <class Cache>
WATARI_KERNEL void end_run(const group& members, const Cache& cache, const page_run& run,
                           storage::status status) {
    page_to_a_lane(members, cache, run, [&](std::uint64_t slot, std::uint64_t, unsigned) {
        if (slot != cache.pages.none) cache.pages.end_write_back(slot, status);
    });
}

/// Copies between the pages of a run, in their slots, and the data of a command.
template <class Cache>
[[gnu::noinline]] WATARI_KERNEL void copy_run(const group& members, const Cache& cache,
                                              const page_run& run, std::byte* data,
                                              bool into_pages) {
    const std::size_t bytes = std::size_t{blocks_of(cache, run)} * cache.store.block_bytes;
    page_to_a_lane(members, cache, run, [&](std::uint64_t slot, std::uint64_t done, unsigned some) {
        std::size_t at = done << cache.pages.memory.page_shift;
        for (unsigned lane = 0; lane < some && at < bytes; ++lane) {
            const std::size_t left = bytes - at, each = cache.page_bytes();
            std::byte* const page =
                cache.address(run.first + done + lane, members.broadcast(slot, lane));
            copy_bytes(members, into_pages ? page : data + at, into_pages ? data + at : page,
                       left < each ? left : each);
            at += each;
        }
    });
    members.sync();
}

/// Returns a page, which the caller brought into state writing, and its dirty neighbours, now in
/// the same state. The run has no gaps and stays in one aligned stretch of most_pages(cache) pages,
/// so that one command carries it.
template <class Cache>
WATARI_KERNEL page_run dirty_around(const group& members, const Cache& cache, std::uint64_t page) {
    const std::uint64_t most = most_pages(cache);
    page_run run{page, 1};
    if (most < 2) return run;
    const auto takes = [&](std::uint64_t other) {
        const std::uint64_t slot = cache.pages.find(members, other);
        bool mine = slot != cache.pages.none;
        if (mine && members.leads()) mine = cache.pages.try_write_back(slot, other);
        return members.broadcast(mine);
    };
    const std::uint64_t stretch = page / most * most;
    while (run.first > stretch && takes(run.first - 1)) --run.first, ++run.count;
    while (run.first + run.count < stretch + most && takes(run.first + run.count)) ++run.count;
    return run;
}

/// Writes a run of pages, which the caller brought into state writing, by one command.
template <class Cache>
WATARI_KERNEL storage::status write_run(const group& members, const Cache& cache,
                                        const page_run& run, bool durable) {
    timeout wait{cache.pages.memory.limit_ns};
    bool left = true;
    page_to_a_lane(members, cache, run, [&](std::uint64_t slot, std::uint64_t, unsigned) {
        left = left && (slot == cache.pages.none || cache.pages.writers_left(slot, wait));
    });
    if (!members.all(left)) return storage::timed_out;
    token command = cache.store.take(members, true);
    if (!command.taken) return command.outcome;
    copy_run(members, cache, run, cache.store.data(command), false);
    const std::uint64_t block = run.first * (cache.page_bytes() / cache.store.block_bytes);
    cache.store.send(members, command, storage::opcode::write, block, blocks_of(cache, run),
                     durable);
    const storage::status status = cache.store.wait(members, command);
    cache.store.release(members, command);
    return status;
}

}  // namespace watari::WATARI_BACKEND
