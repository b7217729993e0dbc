/// Reads a known list of byte ranges of a store in its order, again and again, ahead of its user.
///
///     ordered_reader batches(store, ranges, {.ahead = 4, .resident = {true, false, ...}});
///     for (int product = 0; product < products; ++product)
///         for (std::size_t n = 0; n < ranges.size(); ++n) use(batches.next(stream).data);
///
/// A solver that needs all of a matrix in each step knows its reads for the whole solve: so reading
/// goes on across the end of a round, while the user computes something else. Ranges that are
/// resident stay in memory once they are read: a round then reads the bytes of the others. (A cache
/// by age would hit nothing, since each range comes round after all others.)
///
/// Its list (ordered_reads.hpp) is the first round, and then the ranges that are not resident, in
/// turn.
///
/// Memory: the resident ranges, and `ahead` + 1 times the largest of the others. Bytes: each range
/// in whole units of the store, the resident ones once.
#pragma once

#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/stores/engine_team.hpp"
#include "watari/storage/stores/open_store.hpp"
#include "watari/storage/stores/ordered_reads.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace watari::storage {

/// Bytes [offset, offset + bytes) of a store.
struct byte_range {
    std::uint64_t offset;
    std::size_t bytes;
};

struct reader_options {
    std::size_t ahead = 2;    ///< ranges that are read, or wait, beside the one in use
    std::size_t readers = 2;  ///< threads, each of which reads one range at a time
    std::size_t depth = 16;   ///< requests in flight of each, where the engine has several
    std::size_t request = std::size_t{1} << 17;  ///< bytes, at most; a multiple of the store's unit
    std::vector<bool> resident{};                ///< by range: it stays in memory; empty: none
};

class ordered_reader {
public:
    /// `store` outlives it, and was opened for requests of options.request. Reading begins at once.
    /// Throws usage_error, beyond_memory.
    ordered_reader(const open_store& store, std::vector<byte_range> ranges,
                   const reader_options& options = {});
    ordered_reader(const ordered_reader&) = delete;
    ordered_reader& operator=(const ordered_reader&) = delete;
    /// Waits for reads under way, and for the GPU to be done with what it was given.
    ~ordered_reader();

    struct piece {
        std::size_t range;      ///< its number in the list
        const std::byte* data;  ///< in memory of the store's processor
        std::size_t bytes;
    };
    /// The next range, after the last one the first again; waits until it is read. It is good until
    /// the next call, on a GPU for what `stream` was given until then. Throws what reading threw,
    /// with the file and the offset.
    piece next(stream_t stream = nullptr);

    /// A resident range that `next` has returned once; it is good as long as the reader.
    piece resident(std::size_t range) const {
        return {range, own_[range] + ranges_[range].offset % unit_, ranges_[range].bytes};
    }

    /// Bytes that were read from the store so far.
    std::uint64_t bytes_read() const;
    /// Seconds that `next` has waited so far.
    double seconds_waited() const { return waited_; }

private:
    // the list (ordered_reads.hpp); a ticket is the read's number
    template <class List>
    friend void read_in_order(store_engines& by, monitor& shared, List& list);
    std::optional<std::uint64_t> take(std::unique_lock<std::mutex>& lock);
    void locate(std::uint64_t read, block_list& into);
    void arrived(std::uint64_t read, std::size_t bytes) { arrived_.add(read, bytes); }

    bool is_resident(std::size_t range) const { return own_[range] != nullptr; }
    std::size_t range_of(std::uint64_t read) const;
    /// Reads before one that go through the slots.
    std::uint64_t streamed_before(std::uint64_t read) const;
    std::byte* location_of(std::uint64_t read) const;
    /// The read that brings what `next` gives as number `given`.
    std::uint64_t read_of(std::uint64_t given) const;
    void release(std::uint64_t read, stream_t stream);

    const open_store* store_;
    std::vector<byte_range> ranges_;
    reader_options options_;
    std::size_t unit_;
    std::vector<std::size_t> streamed_;  ///< ranges that are read in each round
    std::vector<std::size_t> before_;    ///< by range: how many of these come before it
    memory::buffer<std::byte> memory_;
    std::vector<std::byte*> own_;      ///< by range: where it stays; null: in a slot for a while
    std::vector<std::byte*> slots_;    ///< for one streamed range after the other
    std::vector<device::event> used_;  ///< by slot, on a GPU

    mutable monitor shared_;
    arrivals arrived_;
    std::uint64_t begun_ = 0;     ///< reads
    std::uint64_t given_ = 0;     ///< ranges, over all rounds
    std::uint64_t released_ = 0;  ///< streamed ones that the user is done with
    double waited_ = 0;
    std::optional<engine_team> team_;  ///< the last to be made and the first to go
};

}  // namespace watari::storage
