/// A known list of reads, executed in order by several threads, ahead of the user of the data.
///
/// The owner of the list also owns the locations and knows when each is free. It provides
///
///     std::optional<ticket> take(lock&)       the next read, once it may begin; none: no more
///     void locate(ticket, block_list&)        its blocks and their location
///     void arrived(ticket, bytes)
///
/// where a ticket identifies one read of the list. `take` and `arrived` are called with the
/// monitor's lock held, which `take` releases while it waits; `locate` is called without it.
/// ordered_reader reads ranges into its own memory, round after round. The pipeline of gemm reads
/// tiles into the slots of its schedule, in turn with its writes.
#pragma once

#include "watari/storage/stores/engine_team.hpp"

#include <cstdint>
#include <mutex>
#include <set>

namespace watari::storage {

/// Reads of a list that have arrived, numbered from 0 on.
struct arrivals {
    std::uint64_t count = 0;  ///< reads 0 to count - 1 have arrived
    std::uint64_t bytes = 0;
    std::set<std::uint64_t> ahead{};

    void add(std::uint64_t number, std::size_t of_bytes) {
        bytes += of_bytes;
        ahead.insert(number);
        for (; !ahead.empty() && *ahead.begin() == count; ++count) ahead.erase(count);
    }
};

/// One thread's loop: takes reads and executes them until none is left.
template <class List>
void read_in_order(store_engines& by, monitor& shared, List& list) {
    block_list blocks;
    std::unique_lock lock(shared.mutex);
    while (const auto next = list.take(lock)) {
        lock.unlock();
        list.locate(*next, blocks);
        by.move(blocks);
        lock.lock();
        list.arrived(*next, blocks.bytes());
        shared.changed.notify_all();
    }
}

}  // namespace watari::storage
