// array<T> over a controller in memory: elements, ranges, reads past the cache, statuses.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "storage/backends/hooked.hpp"
#include "storage/cache/array_data.hpp"
#include "watari/core/error.hpp"
#include "watari/storage/backends/faulty.hpp"

namespace watari {
namespace {

using cpu::group;
TEST(Array, IsAnArrayForEveryPageSize) {
    for (const std::size_t page : {512u, 4096u, 65536u, 1u << 20}) {
        const rig r(4 << 20, 4 * page, page);
        std::vector<std::uint64_t> expected(r.data.size()), some(5000);
        ASSERT_EQ(r.array.count, expected.size());
        std::mt19937_64 random(page);
        for (int i = 0; i < 600; ++i) {
            const std::size_t number = 1 + random() % some.size();
            const std::size_t first = random() % (expected.size() - number);
            switch (random() % 5) {
                case 0:
                    expected[first] = random();
                    ASSERT_TRUE(r.array.put(first, expected[first]).ok());
                    break;
                case 1:
                    ASSERT_TRUE(r.array.get(first, some[0]).ok());
                    ASSERT_EQ(some[0], expected[first]);
                    break;
                case 2:
                    for (std::size_t k = 0; k < number; ++k) expected[first + k] = random();
                    ASSERT_TRUE(r.array
                                    .write(group::active(), first, number, &expected[first],
                                           random() % 4 == 0)
                                    .ok());
                    break;
                case 3:
                    ASSERT_TRUE(r.array.read(group::active(), first, number, some.data()).ok());
                    ASSERT_TRUE(std::equal(some.begin(), some.begin() + number, &expected[first]));
                    break;
                default: {
                    std::size_t seen = 0;
                    const auto same = [&](std::uint64_t k, std::uint64_t value) {
                        seen += k >= first && value == expected[k];
                    };
                    ASSERT_TRUE(r.array.visit(group::active(), first, number, same).ok());
                    ASSERT_EQ(seen, number);
                }
            }
        }
        ASSERT_TRUE(r.array.flush(group::active()).ok());
        EXPECT_EQ(r.data, expected);
        const storage::cache_counters did = r.mapped.counters();
        EXPECT_GT(did.fills, 0u);
        EXPECT_EQ(did.failed_reads + did.failed_writes, 0u);
    }
}

/// Commands that a rig's controller has served, if none is in flight.
std::uint64_t commands(const rig& r) { return r.disk.counts().commands; }

TEST(Array, ReadsMissingNeighboursInCommandsAsLargeAsTheyCanBe) {
    rig r(1 << 20, 256 << 10, 1024);
    std::iota(r.data.begin(), r.data.end(), 0);
    std::vector<std::uint64_t> some(128 << 7);
    std::uint64_t one;
    ASSERT_TRUE(r.array.get(20 * 128 + 5, one).ok());  // one page is in the cache already
    const std::uint64_t before = commands(r);
    ASSERT_TRUE(r.array.read(group::active(), 3, 128 * 127, some.data()).ok());
    for (std::size_t k = 0; k < 128 * 127; ++k) ASSERT_EQ(some[k], k + 3);
    EXPECT_LE(commands(r) - before, 128 * 1024 / transfer + 2);
    ASSERT_TRUE(r.array.read(group::active(), 3, 128 * 127, some.data()).ok());
    EXPECT_LE(commands(r) - before, 128 * 1024 / transfer + 2);  // all pages are in the cache now
}

TEST(Array, WritesDirtyNeighboursBackInCommandsAsLargeAsTheyCanBe) {
    rig r(1 << 20, 256 << 10, 1024);
    std::vector<std::uint64_t> some(64 * 128);
    std::iota(some.begin(), some.end(), 7);
    ASSERT_TRUE(r.array.write(group::active(), 0, some.size(), some.data()).ok());
    const std::uint64_t before = commands(r);
    ASSERT_TRUE(r.array.flush(group::active()).ok());
    EXPECT_EQ(commands(r) - before, 64 * 1024 / transfer + 1);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), r.data.begin()));
    ASSERT_TRUE(r.array.flush(group::active()).ok());
    EXPECT_EQ(commands(r) - before, 64 * 1024 / transfer + 2);  // nothing is dirty
}

/// Memory with one bad byte: each command that covers it fails.
std::shared_ptr<storage::backend> damaged(std::size_t bytes, std::uint64_t bad) {
    const auto fail = [bad](const storage::request& r) -> std::optional<storage::status> {
        if (bad < r.offset || bad >= r.offset + r.bytes) return std::nullopt;
        return r.operation == storage::opcode::read ? storage::unrecovered_read
                                                    : storage::write_fault;
    };
    return std::make_shared<storage::hooked>(storage::make_ram(bytes), fail);
}

TEST(Array, APageThatFailsHarmsNoneOfItsNeighbours) {
    constexpr std::size_t in_page = 128, bad = 5;  // words of a page, the page that fails
    storage::controller disk(damaged(1 << 20, bad * 1024 + 600),
                             {.queues = {.queues = 1, .max_transfer = transfer}});
    cpu::mapped<std::uint64_t> mapped(disk.view(), {.bytes = 256 << 10, .page_bytes = 1024});
    const auto array = mapped.array();
    std::vector<std::uint64_t> some(16 * in_page, 1), read(16 * in_page, 2);
    const group one = group::active();
    EXPECT_EQ(array.read(one, 0, some.size(), read.data()), storage::unrecovered_read);
    EXPECT_TRUE(array.read(one, 0, bad * in_page, read.data()).ok());
    EXPECT_TRUE(array.read(one, (bad + 1) * in_page, 10 * in_page, read.data()).ok());
    ASSERT_TRUE(array.write(one, 0, some.size(), some.data()).ok());
    EXPECT_EQ(array.flush(one), storage::write_fault);
    EXPECT_EQ(mapped.counters().written, 15u);
    EXPECT_EQ(array.flush(one), storage::write_fault);  // that page alone is dirty still
    EXPECT_EQ(mapped.counters().written, 15u);
    EXPECT_GE(mapped.counters().failed_writes, 2u);
    EXPECT_TRUE(array.write(one, (bad + 1) * in_page, in_page, some.data(), true).ok());
    EXPECT_EQ(array.write(one, bad * in_page, 1, some.data(), true), storage::write_fault);
    ASSERT_TRUE(array.read(one, 0, read.size(), read.data()).ok());
    EXPECT_EQ(read, some);
}

TEST(Array, RefusesWhatIsNotThere) {
    const rig r(1 << 16, 1 << 14, 4096);
    std::uint64_t value = 0;
    EXPECT_EQ(r.array.get(r.array.count, value), storage::lba_out_of_range);
    EXPECT_EQ(r.array.put(~std::uint64_t{0}, 1), storage::lba_out_of_range);
    EXPECT_EQ(r.array.read(group::active(), r.array.count, 1, &value), storage::lba_out_of_range);
    EXPECT_EQ(r.array.read(group::active(), 1, ~std::uint64_t{0}, &value),
              storage::lba_out_of_range);
    EXPECT_TRUE(r.array.read(group::active(), r.array.count, 0, &value).ok());
    EXPECT_EQ(r.mapped.counters().fills, 0u);
    const std::uint64_t wraps = std::uint64_t{1} << 61;  // times 8 is 0
    for (const auto& [first, number] :
         {std::pair{r.array.count, std::uint64_t{1}}, std::pair{wraps + 7, std::uint64_t{1}},
          std::pair{std::uint64_t{7}, wraps}}) {
        cpu::transfers under_way(r.disk.view());
        r.array.read_async(group::active(), under_way, first, number, &value);
        EXPECT_EQ(under_way.wait(group::active()), storage::lba_out_of_range);
    }
}

}  // namespace
}  // namespace watari
