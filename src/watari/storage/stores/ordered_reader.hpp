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
/// Memory: the resident ranges, and `ahead` + 1 times the largest of the others. Bytes: each range
/// in whole units of the store, the resident ones once.
#pragma once

#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
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

    /// Bytes that were read from the store so far.
    std::uint64_t bytes_read() const;
    /// Seconds that `next` has waited so far.
    double seconds_waited() const { return waited_; }

private:
    struct slot {
        std::byte* data;
        std::uint64_t ready = 0;  ///< number of the reading that it holds, plus 1
    };

    std::uint64_t streamed_before(std::uint64_t reading) const;
    slot& slot_of(std::uint64_t reading);
    bool is_resident(std::size_t range) const { return in_memory_[range] != none; }
    bool take(std::unique_lock<std::mutex>& lock, std::uint64_t& reading);
    void serve();
    void read(engine& by, const byte_range& range, std::byte* to, std::vector<std::uint64_t>& list);

    static constexpr std::size_t none = ~std::size_t{0};

    const open_store* store_;
    std::vector<byte_range> ranges_;
    reader_options options_;
    std::size_t unit_;
    std::vector<std::size_t> in_memory_;  ///< by range: its slot among the resident ones, or none
    std::vector<std::size_t> before_;     ///< by range: streamed ones before it in a round
    std::size_t streamed_ = 0;            ///< of a round
    memory::buffer<std::byte> memory_;
    std::vector<slot> resident_, slots_;
    std::vector<device::event> used_;  ///< by slot, on a GPU

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t begun_ = 0, consumed_ = 0;  ///< readings, counted over all rounds
    std::uint64_t released_ = 0;              ///< streamed ones that the user is done with
    std::uint64_t bytes_read_ = 0;
    double waited_ = 0;
    bool stop_ = false;
    std::exception_ptr error_;
    std::vector<std::thread> threads_;
};

}  // namespace watari::storage
