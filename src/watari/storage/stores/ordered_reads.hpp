/// A known list of reads, carried out in its order by some threads, ahead of who uses the data.
///
/// Whoever knows the list has the locations, too, and knows when each is free. It has
///
///     std::optional<ticket> take(lock&)       the next read, once it may begin; none: no more
///     void locate(ticket, block_list&)        its blocks and their location
///     void arrived(ticket, bytes)
///
/// with a ticket of its own that says which read of the list it is. `take` and `arrived` are called
/// with the monitor's lock, which `take` gives up while it waits; `locate` without. ordered_reader
/// reads ranges so, round after round, into memory of its own; gemm's pipeline tiles into the slots
/// of its schedule, in turn with what it writes.
#pragma once

#include "watari/storage/stores/engine_team.hpp"

#include <cstdint>
#include <mutex>
#include <set>

namespace watari::storage {

/// Reads of a list that have arrived, by their numbers from 0 on.
struct arrivals {
    std::uint64_t count = 0;  ///< without a gap
    std::uint64_t bytes = 0;
    std::set<std::uint64_t> ahead{};

    void add(std::uint64_t number, std::size_t of_bytes) {
        bytes += of_bytes;
        ahead.insert(number);
        for (; !ahead.empty() && *ahead.begin() == count; ++count) ahead.erase(count);
    }
};

/// One thread's part of it.
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
