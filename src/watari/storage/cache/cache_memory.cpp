#include "watari/storage/cache/cache_memory.hpp"

#include "watari/core/error.hpp"
#include "watari/memory/move.hpp"
#include "watari/storage/nvme/queue_memory.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace watari::storage {
namespace {

constexpr std::size_t smallest_page = 512, largest_page = 1 << 20;

/// The number of sets is a power of two. Each has 8 to 15 ways, so that less than an eighth of the
/// slots is lost. A cache of fewer than 8 slots is one set.
cache_memory shape(const cache_size& size) {
    if (!std::has_single_bit(size.page_bytes) || size.page_bytes < smallest_page ||
        size.page_bytes > largest_page)
        throw usage_error("a cache page of " + bytes_text(size.page_bytes) +
                          ": a power of two from 512 B to 1 MiB is needed");
    if (size.spares == 0 || size.limit_ns <= 0)
        throw usage_error("a cache needs a spare page and a limit of waiting, both more than 0");
    const std::uint64_t slots = std::max<std::uint64_t>(1, size.bytes / size.page_bytes);
    const std::uint64_t sets = std::bit_floor(std::max<std::uint64_t>(1, slots / 8));
    cache_memory view{};
    view.set_mask = sets - 1;
    view.set_bits = static_cast<std::uint32_t>(std::countr_zero(sets));
    view.ways = static_cast<std::uint32_t>(slots / sets);
    view.spares = size.spares;
    view.page_shift = static_cast<std::uint32_t>(std::countr_zero(size.page_bytes));
    view.limit_ns = size.limit_ns;
    return view;
}

std::uint64_t slots_of(const cache_memory& view) { return (view.set_mask + 1) * view.ways; }

std::size_t page_bytes_of(const cache_memory& view) {
    return (slots_of(view) + view.spares) << view.page_shift;
}

/// Bytes of the metadata. Arrays with larger elements come first, so that each array is aligned.
std::size_t metadata_bytes(const cache_memory& view) {
    return sizeof(cache_counters) + slots_of(view) * (8 + 8 + sizeof(status)) + view.spares * 8 +
           (view.set_mask + 1) * sizeof(cache_set);
}

void lay_out(cache_memory& view, std::byte* pages, std::byte* metadata) {
    const std::uint64_t slots = slots_of(view);
    view.pages = pages;
    view.counters = reinterpret_cast<cache_counters*>(metadata);
    view.words = reinterpret_cast<std::uint64_t*>(view.counters + 1);
    view.tags = view.words + slots;
    view.sets = reinterpret_cast<cache_set*>(view.tags + slots + view.spares);
    view.failures = reinterpret_cast<status*>(view.sets + view.set_mask + 1);
}

}  // namespace

cache_owner::cache_owner(const cache_size& size, processor who)
    : who_(who),
      view_(shape(size)),
      pages_(memory::local_kind(who), page_bytes_of(view_), memory::huge_placement(who)),
      metadata_(memory::local_kind(who), metadata_bytes(view_), {.device = who.number}) {
    std::vector<std::byte> first(metadata_bytes(view_));
    lay_out(view_, nullptr, first.data());
    std::fill_n(view_.tags, slots_of(view_) + view_.spares, no_page);
    memory::copy_now(who_, metadata_.data(), first.data(), first.size());
    lay_out(view_, static_cast<std::byte*>(pages_.data()),
            static_cast<std::byte*>(metadata_.data()));
}

cache_counters cache_owner::counters() const { return memory::read_back(who_, view_.counters); }

}  // namespace watari::storage
