/// Reads a known list of byte ranges of a store in order, round after round, ahead of its user.
///
///     ordered_reader batches(store, ranges, {.ahead = 4, .resident = {true, false, ...}});
///     for (int product = 0; product < products; ++product)
///         for (std::size_t n = 0; n < ranges.size(); ++n) use(batches.next(stream).data);
///
/// A solver that needs the whole matrix in each step knows all its reads in advance. Reading
/// therefore continues across the end of a round while the user computes. Resident ranges stay in
/// memory once they are read: each later round reads the other ranges only. (An LRU cache would
/// never hit, since each range is used again only after all others.)
///
/// The list (ordered_reads.hpp) is the first round, then in each round the ranges that are not
/// resident.
///
/// Memory: the resident ranges, and `ahead` + 1 times the largest other range. Bytes: each range in
/// whole units of the store, a resident range once.
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
    std::size_t ahead = 2;    ///< ranges being read or already read, besides the one in use
    std::size_t readers = 2;  ///< threads; each reads one range at a time
    std::size_t depth = 16;   ///< requests in flight of each thread, if the engine allows several
    std::size_t request = std::size_t{1} << 17;  ///< largest request in bytes; a multiple of the
                                                 ///< store's unit
    std::vector<bool> resident{};  ///< by range: whether it stays in memory; empty: none
};

class ordered_reader {
public:
    /// `store` must outlive the reader and be opened for requests of options.request bytes. Reading
    /// begins at once. Throws usage_error, beyond_memory.
    ordered_reader(const open_store& store, std::vector<byte_range> ranges,
                   const reader_options& options = {});
    ordered_reader(const ordered_reader&) = delete;
    ordered_reader& operator=(const ordered_reader&) = delete;
    /// Waits for reads in flight and, on a GPU, for the use of streamed ranges that a later `next`
    /// released.
    ~ordered_reader();

    struct piece {
        std::size_t range;      ///< index in the list
        const std::byte* data;  ///< in memory of the store's processor
        std::size_t bytes;
    };
    /// Returns the next range, after the last one the first again; waits until it is read. The data
    /// are valid until the next call; on a GPU, for work put into `stream` before that call.
    /// Rethrows errors of reading, with the file and the offset.
    piece next(stream_t stream = nullptr);

    /// Returns a resident range, after `next` has returned it once. The data are valid as long as
    /// the reader lives.
    piece resident(std::size_t range) const {
        return {range, own_[range] + ranges_[range].offset % unit_, ranges_[range].bytes};
    }

    /// Bytes read from the store so far.
    std::uint64_t bytes_read() const;
    /// Seconds that `next` has waited so far.
    double seconds_waited() const { return waited_; }

private:
    // functions of the list (ordered_reads.hpp); a ticket is the number of a read
    template <class List>
    friend void read_in_order(store_engines& by, monitor& shared, List& list);
    std::optional<std::uint64_t> take(std::unique_lock<std::mutex>& lock);
    void locate(std::uint64_t read, block_list& into);
    void arrived(std::uint64_t read, std::size_t bytes) { arrived_.add(read, bytes); }

    bool is_resident(std::size_t range) const { return own_[range] != nullptr; }
    std::size_t range_of(std::uint64_t read) const;
    /// Number of reads before `read` that use the slots.
    std::uint64_t streamed_before(std::uint64_t read) const;
    std::byte* location_of(std::uint64_t read) const;
    /// The number of the read that brings range number `given`, counted over all calls of `next`.
    std::uint64_t read_of(std::uint64_t given) const;
    void release(std::uint64_t read, stream_t stream);

    const open_store* store_;
    std::vector<byte_range> ranges_;
    reader_options options_;
    std::size_t unit_;
    std::vector<std::size_t> streamed_;  ///< ranges read in each round
    std::vector<std::size_t> before_;    ///< by range: number of streamed ranges before it
    memory::buffer<std::byte> memory_;
    std::vector<std::byte*> own_;    ///< by range: location of a resident one; null: it uses a slot
    std::vector<std::byte*> slots_;  ///< each holds one streamed range at a time
    std::vector<device::event> used_;  ///< by slot, on a GPU: end of its last use

    mutable monitor shared_;
    arrivals arrived_;
    std::uint64_t begun_ = 0;     ///< reads begun
    std::uint64_t given_ = 0;     ///< ranges returned by `next`, over all rounds
    std::uint64_t released_ = 0;  ///< streamed ranges that the user no longer needs
    double waited_ = 0;
    std::optional<engine_team> team_;  ///< constructed last and destroyed first
};

}  // namespace watari::storage
