/// The memory of a page cache: the view that kernels take, and its owner.
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

/// Counters of a cache, in pages. Hits are not counted: counting one costs as much as a hit.
struct cache_counters {
    std::uint64_t fills;         ///< read from the store into a slot
    std::uint64_t passed;        ///< passed through a spare slot: every slot of the set was held
    std::uint64_t written;       ///< written to the store
    std::uint64_t failed_reads;  ///< reads that ended with an error
    std::uint64_t failed_writes;
};

/// Passed to kernels by value. Slots [0, (set_mask + 1) * ways) are the cache; `spares` more slots
/// follow. Everything lies in memory of the processor that uses the cache.
struct cache_memory {
    std::byte* pages;      ///< 2^page_shift bytes for each slot; cache::address gives the order
    std::uint64_t* words;  ///< by slot, without the spares; see storage/cache/page.hpp
    std::uint64_t* tags;   ///< by slot: the page in it, or no_page
    status* failures;      ///< by slot, without the spares: why its page is poisoned or doubtful
    cache_set* sets;
    cache_counters* counters;
    std::uint64_t set_mask;  ///< number of sets less one; a power of two less one
    std::int64_t limit_ns;   ///< timeout of any wait for another thread
    std::uint32_t set_bits;
    std::uint32_t ways;  ///< slots of a set
    std::uint32_t spares;
    std::uint32_t page_shift;
};

/// The requested size of a cache.
struct cache_size {
    std::size_t bytes = 0;          ///< of all pages; the cache has at least one page
    std::size_t page_bytes = 4096;  ///< a power of two, 512 to 1 MiB
    std::int64_t limit_ns = 10'000'000'000;
    unsigned spares = 8;
};

/// Owns the memory of a cache, empty at first. Metadata: 20 bytes a slot, 8 a set.
class cache_owner {
public:
    /// Allocates memory of the processor that uses the cache. Throws usage_error, unsupported,
    /// beyond_memory.
    explicit cache_owner(const cache_size& size, processor who = the_cpu);

    /// Valid while this object lives.
    const cache_memory& view() const noexcept { return view_; }
    std::uint64_t slots() const noexcept { return (view_.set_mask + 1) * view_.ways; }
    /// No thread may use the cache meanwhile.
    cache_counters counters() const;

private:
    processor who_;
    cache_memory view_;  ///< declared before the blocks: it gives their sizes
    memory::block pages_;
    memory::block metadata_;
};

}  // namespace watari::storage
