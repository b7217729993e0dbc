// Reading ahead: pages held, claimed and waited for while a range is visited.
#include "watari/storage/cache/read_ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <vector>

#include "on_threads.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/cache/array.hpp"
#include "watari/storage/cache/mapped.hpp"
#include "watari/storage/controller/controller.hpp"

namespace watari {
namespace {

using cpu::group;
using cpu::page_state;
constexpr std::size_t page_bytes = 512, words = page_bytes / 8;

/// A store of numbered words with a few commands. It checks the cache when a user waits for a
/// command.
struct device {
    std::uint64_t pages;
    unsigned commands;  ///< the most in flight
    std::vector<std::byte> slots = std::vector<std::byte>(std::size_t{commands} * 4 * page_bytes);
    std::vector<bool> in_use = std::vector<bool>(commands);
    std::uint64_t bad = ~std::uint64_t{0};  ///< a page that cannot be read
    storage::cache_memory memory{};
    unsigned sent = 0, alone = 0, given_back = 0, waited = 0;

    /// Number of pages in a state, and number of holders of all pages.
    unsigned in(page_state state) const {
        return count([&](std::uint64_t word) { return cpu::page::state(word) == state; });
    }
    unsigned held() const {
        return count([](std::uint64_t word) { return cpu::page::holders(word); });
    }

    template <class What>
    unsigned count(What what) const {
        unsigned sum = 0;
        for (std::uint64_t slot = 0; slot < (memory.set_mask + 1) * memory.ways; ++slot)
            sum += static_cast<unsigned>(what(memory.words[slot]));
        return sum;
    }

    storage::status fill(std::uint64_t block, std::uint32_t count, void* to) const {
        if (block <= bad && bad < block + count) return storage::unrecovered_read;
        auto* const out = static_cast<std::uint64_t*>(to);
        std::iota(out, out + count * words, block * words);
        return {};
    }
};

struct store {
    device* behind;
    std::uint64_t blocks;
    std::uint32_t block_bytes = page_bytes;

    storage::status read(const group&, std::uint64_t block, std::uint32_t count, void* to) const {
        ++behind->alone;
        return behind->fill(block, count, to);
    }
    storage::status write(const group&, std::uint64_t, std::uint32_t, const void*, bool) const {
        return storage::write_fault;
    }
    storage::status flush(const group&) const { return {}; }

    std::uint32_t most_blocks() const { return 4; }
    storage::token take(const group&, bool wait_for_one) const {
        storage::token found;
        if (wait_for_one) {
            ++behind->waited;
            EXPECT_EQ(behind->in(page_state::filling), 0u) << "somebody may wait for these pages";
            EXPECT_EQ(behind->sent, 0u) << "all may have commands and wait for one more";
        }
        for (unsigned i = 0; i < behind->commands && !found.taken; ++i)
            if (!behind->in_use[i]) {
                found.taken = behind->in_use[i] = true;
                found.cid = static_cast<std::uint16_t>(i);
            }
        return found;
    }
    bool settled(const group&) const { return true; }
    void give_back(const group&, const storage::token& command) const {
        ++behind->given_back;
        behind->in_use[command.cid] = false;
    }
    std::byte* data(const storage::token& command) const {
        return behind->slots.data() + command.cid * std::size_t{4} * page_bytes;
    }
    void send(const group&, storage::token& command, storage::opcode, std::uint64_t block,
              std::uint32_t count, bool) const {
        ++behind->sent;
        command.bytes = count * block_bytes;
        command.outcome = behind->fill(block, count, data(command));
    }
    storage::status wait(const group&, const storage::token& command) const {
        return command.outcome;
    }
    void release(const group&, const storage::token& command) const {
        --behind->sent;
        behind->in_use[command.cid] = false;
    }
};
static_assert(cpu::takes_commands<store>);

struct rig {
    rig(std::size_t slots, std::uint64_t pages, unsigned commands)
        : behind{pages, commands},
          owner({.bytes = slots * page_bytes, .page_bytes = page_bytes}),
          array{{{owner.view()}, {&behind, pages}}, pages * words} {
        behind.memory = owner.view();
    }

    /// Visits a range, checks its words, and returns their number.
    std::uint64_t visit(std::uint64_t first, std::uint64_t number, storage::status& status) {
        std::uint64_t next = first;
        status = array.visit(group::active(), first, number,
                             [&](std::uint64_t index, std::uint64_t value) {
                                 EXPECT_EQ(index, next++);
                                 EXPECT_EQ(value, index);
                             });
        EXPECT_EQ(behind.held(), 0u) << "of pages that have been visited or never were";
        EXPECT_EQ(behind.in(page_state::filling), 0u);
        EXPECT_EQ(behind.sent, 0u);
        return next - first;
    }

    device behind;
    storage::cache_owner owner;
    cpu::array<std::uint64_t, store> array;
};

TEST(Ahead, LeavesEveryPageWhateverTheCacheAndTheCommands) {
    for (const std::size_t slots : {1u, 2u, 5u, 8u, 17u, 64u, 200u})
        for (const unsigned commands : {0u, 1u, 2u, 9u}) {
            rig r(slots, 100, commands);
            std::mt19937 random(commands);
            for (int i = 0; i < 200; ++i) {
                const std::uint64_t first = random() % (100 * words);
                const std::uint64_t number = random() % (100 * words - first) + 1;
                storage::status status;
                ASSERT_EQ(r.visit(first, number, status), number) << slots << ' ' << commands;
                ASSERT_TRUE(status.ok());
            }
            EXPECT_GT(r.behind.waited, 0u);
        }
}

// Pages that were read ahead stay until their turn, though later pages need their slots.
TEST(Ahead, ReadsEachPageOnce) {
    for (const std::size_t slots : {5u, 8u, 17u, 64u}) {
        rig r(slots, 500, 9);
        storage::status status;
        r.visit(0, 500 * words, status);
        EXPECT_TRUE(status.ok());
        EXPECT_EQ(r.owner.counters().fills + r.owner.counters().passed, 500u) << slots;
    }
}

TEST(Ahead, DoesNotCountAsUse) {
    rig r(64, 500, 9);
    storage::status status;
    for (std::uint64_t first = 0; first < 500; first += 50) {
        r.visit(0, 1, status);  // one page, again and again
        r.visit((first + 1) * words, 49 * words, status);
        r.visit(0, 1, status);
    }
    EXPECT_EQ(r.behind.alone, 1u) << "a stream must not drive out what is in use";
}

TEST(Ahead, LeavesWhatItHasNotReachedWhereAPageFails) {
    for (std::uint64_t bad = 1; bad < 60; ++bad) {
        rig r(128, 100, 9);
        r.behind.bad = bad;
        storage::status status;
        EXPECT_EQ(r.visit(3, 70 * words, status), bad * words - 3);
        EXPECT_EQ(status, storage::unrecovered_read);
        EXPECT_EQ(r.behind.in(page_state::poisoned), 1u);
    }
}

TEST(Ahead, GivesAnIdentifierBackWhereNoSlotIsFree) {
    rig r(4, 100, 9);
    std::vector<cpu::held_page> held;
    for (std::uint64_t page = 90; page < 94; ++page)
        held.push_back(r.array.pages.acquire(group::active(), page, cpu::intent::read));
    std::uint64_t sum = 0;
    EXPECT_TRUE(r.array
                    .visit(group::active(), 0, 20 * words,
                           [&](std::uint64_t, std::uint64_t value) { sum += value; })
                    .ok());
    EXPECT_EQ(sum, 20 * words * (20 * words - 1) / 2);
    EXPECT_EQ(r.owner.counters().passed, 20u);
    EXPECT_GT(r.behind.given_back, 0u);
    EXPECT_EQ(r.behind.held(), 4u);
    for (const auto& each : held) EXPECT_TRUE(r.array.pages.release(group::active(), each).ok());
}

// Threads read overlapping shared ranges, and write ranges of their own, through fewer slots and
// identifiers than they want.
TEST(AheadThreads, ShareFewSlotsAndIdentifiers) {
    constexpr unsigned threads = 6;
    constexpr std::size_t shared = 30 * 1024 / 8, each = 5 * 1024 / 8 - 17;
    for (const std::size_t slots : {3u, 9u, 24u, 70u}) {
        std::vector<std::uint64_t> data(60 * 1024 / 8);
        std::iota(data.begin(), data.end(), 0);
        storage::controller disk(storage::make_ram(std::as_writable_bytes(std::span(data))),
                                 {.queues = {.queues = 1, .depth = 4, .max_transfer = 8192}});
        cpu::mapped<std::uint64_t> mapped(disk.view(), {.bytes = slots * 1024, .page_bytes = 1024});
        const auto array = mapped.array();
        std::atomic<unsigned> wrong = 0;
        on_threads(threads, [&](unsigned t) {
            std::mt19937_64 random(t);
            const std::size_t begin = shared + t * each;
            std::vector<std::uint64_t> own(each), found(shared);
            std::iota(own.begin(), own.end(), begin);
            for (int i = 0; i < 200; ++i) {
                const std::size_t first = random() % shared;
                const std::size_t number = 1 + random() % (shared - first);
                wrong += !array.read(group::active(), first, number, found.data()).ok();
                for (std::size_t n = 0; n < number; ++n) wrong += found[n] != first + n;
                const std::size_t at = random() % each, some = 1 + random() % (each - at);
                for (std::size_t n = 0; n < some; ++n) own[at + n] = random();
                wrong += !array.write(group::active(), begin + at, some, &own[at]).ok();
                wrong += !array.read(group::active(), begin, each, found.data()).ok();
                wrong += !std::equal(own.begin(), own.end(), found.begin());
            }
        });
        EXPECT_EQ(wrong, 0u) << slots;
    }
}

}  // namespace
}  // namespace watari
