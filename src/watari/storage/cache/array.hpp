/// array<T>: elements on a store, read and written by any thread through a page cache.
///
/// Kernels take it by value; threads of a CPU run the same code. Each function returns the status
/// of the first command that failed; its output is then undefined. All threads of a group call a
/// function that takes a group, with the same values.
///
/// Two threads that write the same element, or write and read it, must synchronise, as with memory.
/// Threads that use different elements of one page need not.
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

    /// Reads or writes one element; each thread has its own index. Threads whose elements are in
    /// one page share the look-up.
    WATARI_KERNEL storage::status get(std::uint64_t index, T& value) const {
        return at(index, intent::read, [&](T& element) { value = element; });
    }
    WATARI_KERNEL storage::status put(std::uint64_t index, const T& value) const {
        return at(index, intent::write, [&](T& element) { element = value; });
    }

    /// Reads elements [first, first + number) into memory.
    WATARI_KERNEL storage::status read(const group& members, std::uint64_t first,
                                       std::uint64_t number, T* to) const {
        return each_page(members, first, number, intent::read, false,
                         [&](T* elements, std::uint64_t done, std::uint64_t some) {
                             copy_bytes(members, to + done, elements, some * sizeof(T));
                         });
    }

    /// Writes elements from memory. With `durable` they are on the store's medium when the status
    /// is ok; without, after a flush.
    WATARI_KERNEL storage::status write(const group& members, std::uint64_t first,
                                        std::uint64_t number, const T* from,
                                        bool durable = false) const {
        return each_page(members, first, number, intent::write, durable,
                         [&](T* elements, std::uint64_t done, std::uint64_t some) {
                             copy_bytes(members, elements, from + done, some * sizeof(T));
                         });
    }

    /// Calls body(index, element) for each element of a range, in place in the cache; the threads
    /// of the group share the elements. The body must not use an array.
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

    /// Begins to read a range from the store, past the cache; the wait of `under_way` completes the
    /// read. For data that are used once or kept by the caller. Writes that were not flushed may be
    /// missing. If the range is not in the array, that wait returns lba_out_of_range.
    WATARI_KERNEL void read_async(const group& members, transfers& under_way, std::uint64_t first,
                                  std::uint64_t number, T* to) const {
        if (number > count || first > count - number) return under_way.refuse();
        under_way.read(members, first * sizeof(T), number * sizeof(T), to);
    }

    /// Makes earlier writes durable: they are on the store's medium when the status is ok. One
    /// group is enough.
    WATARI_KERNEL storage::status flush(const group& members) const { return pages.flush(members); }

private:
    static constexpr unsigned element_shift = std::bit_width(sizeof(T)) - 1;

    /// Base-2 logarithm of the elements of a page, so that finding a page needs no division.
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

    /// Calls body(elements, done, some) for the part of a range in each page: `some` elements,
    /// after `done` earlier ones. Inline, so that the sums of a body stay in registers.
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
