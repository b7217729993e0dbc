/// A cache in front of a device that fails, waits and loses data on demand.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "storage/fake.hpp"
#include "watari/storage/cache/cache.hpp"

namespace watari {

using cpu::group;
using cpu::intent;
using storage::status;
inline constexpr std::size_t page_bytes = 1024;  // two blocks

/// A cache of some slots in front of a device of some pages.
struct cached_device {
    cached_device(std::size_t slots, std::size_t pages, std::int64_t limit_ns = 20'000'000'000,
                  unsigned spares = 2)
        : device(pages * 2),
          owner({.bytes = slots * page_bytes,
                 .page_bytes = page_bytes,
                 .limit_ns = limit_ns,
                 .spares = spares}),
          cache{{owner.view()}, fake_store(device)} {}

    status read(std::uint64_t byte, void* to, std::size_t bytes) const {
        return move(byte, bytes, intent::read, false,
                    [&](std::byte* data) { std::memcpy(to, data, bytes); });
    }
    status write(std::uint64_t byte, const void* from, std::size_t bytes,
                 bool durable = false) const {
        return move(byte, bytes, bytes == page_bytes ? intent::overwrite : intent::write, durable,
                    [&](std::byte* data) { std::memcpy(data, from, bytes); });
    }
    template <class Body>
    status move(std::uint64_t byte, std::size_t bytes, intent why, bool durable, Body body) const {
        const group me = group::active();
        EXPECT_LE(byte % page_bytes + bytes, page_bytes);
        const auto held = cache.acquire(me, byte / page_bytes, why);
        if (!held.failed.ok()) return held.failed;
        body(held.data + byte % page_bytes);
        return cache.release(me, held, durable);
    }
    std::uint64_t word_of(std::uint64_t page) const {
        return cpu::local::load_acquire(
            owner.view().words[cache.pages.find(group::active(), page)]);
    }
    storage::cache_counters counters() const { return owner.counters(); }

    fake_device device;
    storage::cache_owner owner;
    cpu::cache<fake_store> cache;
};

inline std::uint64_t value_at(const std::vector<std::byte>& data, std::size_t element) {
    std::uint64_t value = 0;
    std::memcpy(&value, data.data() + element * sizeof value, sizeof value);
    return value;
}

}  // namespace watari
