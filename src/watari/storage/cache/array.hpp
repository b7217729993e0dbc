/// array<T>: elements on a store, read and written by any thread through a page cache.
///
/// In kernels it is passed by value; on a CPU it is the same code for its threads. Each function
/// returns the status of the first command that failed; what it was to give is then undefined. A
/// group's functions are called by all its threads with the same values.
///
/// Two threads that write one element, or one that writes and one that reads it, need an order of
/// their own, as with memory. Neighbours that share a page do not.
#pragma once

#include "watari/storage/cache/namespace_store.hpp"
#include "watari/storage/cache/read_ahead.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace watari::WATARI_BACKEND {

template <class T, class Store = namespace_store>
struct array {
    static_assert(std::is_trivially_copyable_v<T> && std::has_single_bit(sizeof(T)) &&
                      sizeof(T) <= 512,
                  "an element lies in one page: its size is a power of two up to 512 bytes");

    cache<Store> pages;
    std::uint64_t count;  ///< elements

    /// One element; each thread has its own index, those in one page share the look-up.
    WATARI_KERNEL storage::status get(std::uint64_t index, T& value) const {
        return at(index, intent::read, [&](T& element) { value = element; });
    }
    WATARI_KERNEL storage::status put(std::uint64_t index, const T& value) const {
        return at(index, intent::write, [&](T& element) { element = value; });
    }

    /// Elements first to first + number, to memory.
    WATARI_KERNEL storage::status read(const group& members, std::uint64_t first,
                                       std::uint64_t number, T* to) const {
        return each_page(members, first, number, intent::read, false,
                         [&](T* elements, std::uint64_t done, std::uint64_t some) {
                             copy_bytes(members, to + done, elements, some * sizeof(T));
                         });
    }

    /// From memory. With `durable` they are on the store's medium when the status is ok, else they
    /// are after a flush.
    WATARI_KERNEL storage::status write(const group& members, std::uint64_t first,
                                        std::uint64_t number, const T* from,
                                        bool durable = false) const {
        return each_page(members, first, number, intent::write, durable,
                         [&](T* elements, std::uint64_t done, std::uint64_t some) {
                             copy_bytes(members, elements, from + done, some * sizeof(T));
                         });
    }

    /// body(index, element) for each of a range, where it lies in the cache, the threads of the
    /// group side by side. The body may not use an array.
    template <class Body>
    [[gnu::always_inline]] WATARI_KERNEL storage::status visit(const group& members,
                                                               std::uint64_t first,
                                                               std::uint64_t number,
                                                               Body body) const {
        return each_page(members, first, number, intent::read, false,
                         [&](const T* elements, std::uint64_t done, std::uint64_t some) {
                             for (std::uint64_t i = members.rank(); i < some; i += members.size())
                                 body(first + done + i, elements[i]);
                         });
    }

    /// A range from the store itself, past the cache, by `under_way`, whose wait ends it: for data
    /// that are used once or kept by the caller. Sees what was flushed. A range that is not in the
    /// array: that wait says so.
    WATARI_KERNEL void read_async(const group& members, transfers& under_way, std::uint64_t first,
                                  std::uint64_t number, T* to) const {
        if (number > count || first > count - number) return under_way.refuse();
        under_way.read(members, first * sizeof(T), number * sizeof(T), to);
    }

    /// What was written before is on the store's medium when the status is ok. One group is enough.
    WATARI_KERNEL storage::status flush(const group& members) const { return pages.flush(members); }

private:
    static constexpr unsigned element_shift = std::bit_width(sizeof(T)) - 1;

    /// How many elements a page has, as a power of two: no division where pages are found.
    WATARI_KERNEL unsigned shift() const { return pages.pages.memory.page_shift - element_shift; }
    WATARI_KERNEL std::uint64_t in_page() const { return std::uint64_t{1} << shift(); }

    template <class Body>
    [[gnu::always_inline]] WATARI_KERNEL storage::status at(std::uint64_t index, intent why,
                                                            Body body) const {
        if (index >= count) return storage::lba_out_of_range;
        const std::uint64_t page = index >> shift();
        const group sharing = group::together(reinterpret_cast<const void*>(page));
        const held_page held = pages.acquire(sharing, page, why);
        if (!held.failed.ok()) return held.failed;
        body(reinterpret_cast<T*>(held.data)[index & (in_page() - 1)]);
        return pages.release(sharing, held);
    }

    /// body(elements, done before, how many) for the part of a range in each page. Inline, so that
    /// what a body adds up stays in a register.
    template <class Body>
    [[gnu::always_inline]] WATARI_KERNEL storage::status each_page(const group& members,
                                                                   std::uint64_t first,
                                                                   std::uint64_t number, intent why,
                                                                   bool durable, Body body) const {
        if (number > count || first > count - number) return storage::lba_out_of_range;
        const std::uint64_t behind = number == 0 ? 0 : ((first + number - 1) >> shift()) + 1;
        read_ahead<cache<Store>> ahead(pages, first >> shift(), why == intent::read ? behind : 0);
        for (std::uint64_t done = 0; done < number;) {
            const std::uint64_t index = first + done, within = index & (in_page() - 1);
            const std::uint64_t left = number - done, room = in_page() - within;
            const std::uint64_t some = left < room ? left : room;
            const bool whole = why == intent::write && some == in_page();
            const held_page held =
                ahead.acquire(members, index >> shift(), whole ? intent::overwrite : why);
            if (!held.failed.ok()) return held.failed;
            body(reinterpret_cast<T*>(held.data) + within, done, some);
            const storage::status status = pages.release(members, held, durable);
            if (!status.ok()) return ahead.finish(members), status;
            done += some;
        }
        return ahead.finish(members), storage::status{};
    }
};

}  // namespace watari::WATARI_BACKEND
