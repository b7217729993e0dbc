/// The memory of a page cache: what kernels see of it, and who owns it.
#pragma once

#include "watari/memory/buffer.hpp"
#include "watari/storage/nvme/nvme.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::storage {

inline constexpr std::uint64_t no_page = ~std::uint64_t{0};

/// The lock of a set and the clock's hand in it.
struct cache_set {
    std::uint32_t lock, hand;
};

/// What a cache did, in pages; hits are not counted, that would cost as much as they do.
struct cache_counters {
    std::uint64_t fills;         ///< read from the store into a slot
    std::uint64_t passed;        ///< read or written past the slots: all of the set were held
    std::uint64_t written;       ///< written to the store
    std::uint64_t failed_reads;  ///< with a status that is an error
    std::uint64_t failed_writes;
};

/// Passed to kernels by value. Slots 0 to (set_mask + 1) * ways are the cache; `spares` more come
/// behind them. Everything lies in memory of the processor that uses the cache.
struct cache_memory {
    std::byte* pages;      ///< of each slot 2^page_shift bytes, in an order of cache::address
    std::uint64_t* words;  ///< of each slot but the spares, see storage/page.hpp
    std::uint64_t* tags;   ///< of each slot the page in it, or no_page
    status* failures;      ///< of each slot but the spares, why its page is poisoned or doubtful
    cache_set* sets;
    cache_counters* counters;
    std::uint64_t set_mask;  ///< number of sets less one; a power of two less one
    std::int64_t limit_ns;   ///< of any wait for another thread
    std::uint32_t set_bits;
    std::uint32_t ways;  ///< slots of a set
    std::uint32_t spares;
    std::uint32_t page_shift;
};

/// What is asked of a cache.
struct cache_size {
    std::size_t bytes = 0;          ///< of all pages in it; at least one is made
    std::size_t page_bytes = 4096;  ///< a power of two, 512 to 1 MiB
    std::int64_t limit_ns = 10'000'000'000;
    unsigned spares = 8;
};

/// Owns the memory of a cache, empty at first. Metadata: 20 bytes a slot, 8 a set.
class cache_owner {
public:
    /// In device memory of a GPU, or pageable memory. Throws usage_error, unsupported,
    /// beyond_memory.
    cache_owner(memory::kind kind, const cache_size& size, int device = 0);

    /// May be used while this object lives.
    const cache_memory& view() const noexcept { return view_; }
    std::uint64_t slots() const noexcept { return (view_.set_mask + 1) * view_.ways; }
    /// Nobody may use the cache meanwhile.
    cache_counters counters() const;

private:
    cache_memory view_;  ///< before the blocks: it says how large they are
    memory::block pages_;
    memory::block metadata_;
};

}  // namespace watari::storage
