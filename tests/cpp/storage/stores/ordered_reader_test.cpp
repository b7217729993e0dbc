// Ranges of any lengths, from every store and by every engine that this machine has.
#include "errors.hpp"
#include "folder.hpp"
#include "storage/random_bytes.hpp"

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/stores/ordered_reader.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

namespace watari::storage {
namespace {

constexpr std::size_t stored_bytes = (std::size_t{3} << 20) + 777;

/// Random ranges of a byte to hundreds of KiB.
std::vector<byte_range> some_ranges(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<byte_range> ranges;
    while (ranges.size() < count) {
        const std::size_t longest = std::size_t{1} << (1 + random() % 19);
        const std::size_t bytes = 1 + random() % longest;
        ranges.push_back({random() % (stored_bytes - bytes), bytes});
    }
    return ranges;
}

struct access_path {
    std::string engine;
    processor who;
};

std::ostream& operator<<(std::ostream& to, const access_path& path) {
    return to << (path.who.is_gpu() ? "gpu/" : "cpu/") << path.engine;
}

std::vector<std::byte> on_host(const ordered_reader::piece& piece, processor who) {
    std::vector<std::byte> data(piece.bytes);
    if (data.empty()) return data;
    if (who.is_gpu())
        device::read_back(data.data(), piece.data, data.size(), nullptr);
    else
        std::memcpy(data.data(), piece.data, data.size());
    return data;
}

class OrderedReader : public ::testing::TestWithParam<access_path> {
protected:
    OrderedReader() {
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(stored_.data()),
                   static_cast<std::streamsize>(stored_.size()));
    }

    store_options options() const {
        return {.engine = GetParam().engine,
                .who = GetParam().who,
                .files = {.paths = {path_}, .padded = true},
                .requests = 32,
                .largest_block = std::size_t{1} << 17};
    }

    /// Expects the file's data in each range, for some rounds.
    void expect_rounds(ordered_reader& reader, const std::vector<byte_range>& ranges, int rounds) {
        for (int round = 0; round < rounds; ++round)
            for (std::size_t n = 0; n < ranges.size(); ++n) {
                const ordered_reader::piece piece = reader.next();
                ASSERT_EQ(piece.range, n);
                ASSERT_EQ(piece.bytes, ranges[n].bytes);
                const auto data = on_host(piece, GetParam().who);
                ASSERT_TRUE(std::equal(data.begin(), data.end(), stored_.data() + ranges[n].offset))
                    << "round " << round << " range " << n;
            }
    }

    directory folder_;
    const std::string path_ = folder_.path + "/store";
    const std::vector<std::byte> stored_ = random_bytes(stored_bytes, 7);
};

TEST_P(OrderedReader, GivesEachRangeInItsOrderRoundAfterRound) {
    const open_store store(options());
    for (const std::size_t ahead : {1, 2, 7})
        for (const std::size_t readers : {1, 3}) {
            const auto ranges = some_ranges(23, static_cast<unsigned>(ahead * 10 + readers));
            ordered_reader reader(store, ranges, {.ahead = ahead, .readers = readers});
            expect_rounds(reader, ranges, 3);
        }
}

TEST_P(OrderedReader, ReadsResidentRangesOnce) {
    const open_store store(options());
    const auto ranges = some_ranges(20, 5);
    const std::size_t unit = std::max<std::size_t>(16, store.unit());
    reader_options wanted{.ahead = 3};
    std::uint64_t resident = 0, streamed = 0;
    for (std::size_t n = 0; n < ranges.size(); ++n) {
        wanted.resident.push_back(n % 3 == 1);
        const std::uint64_t first = ranges[n].offset / unit * unit;
        const std::uint64_t last = (ranges[n].offset + ranges[n].bytes + unit - 1) / unit * unit;
        (wanted.resident[n] ? resident : streamed) += last - first;
    }
    ordered_reader reader(store, ranges, wanted);
    expect_rounds(reader, ranges, 4);
    // at most one round has been read ahead
    EXPECT_GE(reader.bytes_read(), resident + 4 * streamed);
    EXPECT_LE(reader.bytes_read(), resident + 5 * streamed);

    wanted.resident.assign(ranges.size(), true);
    ordered_reader all(store, ranges, wanted);
    expect_rounds(all, ranges, 3);
    EXPECT_EQ(all.bytes_read(), resident + streamed);
}

TEST_P(OrderedReader, MayBeGivenUpAtAnyTime) {
    const open_store store(options());
    const auto ranges = some_ranges(9, 3);
    for (std::size_t taken = 0; taken < 12; ++taken) {
        ordered_reader reader(store, ranges);
        for (std::size_t n = 0; n < taken; ++n) reader.next();
    }
}

TEST_P(OrderedReader, SaysWhichFileIsCutAndWhere) {
    const open_store store(options());
    ordered_reader reader(store, {{0, 5000}, {stored_bytes - 70000, 60000}}, {.ahead = 1});
    EXPECT_EQ(reader.next().range, 0u);
    EXPECT_EQ(reader.next().range, 1u);
    std::filesystem::resize_file(path_, stored_bytes - 300000);
    const std::size_t unit = std::max<std::size_t>(16, store.unit());
    // memory-mapped files end the process instead, unless the engine checks the file
    expect_error<error>(
        [&] {
            for (int n = 0; n < 8; ++n) reader.next();
        },
        {path_, " at " + std::to_string((stored_bytes - 70000) / unit * unit)});
}

/// Empty ranges, one byte, the last byte, repeated and overlapping ranges, units and neighbours.
std::vector<byte_range> hostile_ranges() {
    std::vector<byte_range> ranges{{0, 0},          {777, 0},        {stored_bytes, 0},
                                   {0, 1},          {511, 2},        {stored_bytes - 1, 1},
                                   {1, 1},          {4095, 4098},    {4096, 4096},
                                   {70000, 100000}, {70001, 100000}, {0, stored_bytes}};
    const std::vector<byte_range> again = ranges;
    ranges.insert(ranges.end(), again.rbegin(), again.rend());
    return ranges;
}

TEST_P(OrderedReader, TakesAnyRangeWithinTheStore) {
    const open_store store(options());
    const auto ranges = hostile_ranges();
    for (const bool resident : {false, true}) {
        reader_options wanted{.ahead = 3, .readers = 3};
        for (std::size_t n = 0; n < ranges.size(); ++n)
            wanted.resident.push_back(resident && n % 2 == 0);
        ordered_reader reader(store, ranges, wanted);
        expect_rounds(reader, ranges, 3);
    }
    const std::vector<byte_range> nothing(5, byte_range{1234567, 0});
    ordered_reader idle(store, nothing, {.ahead = 9});
    expect_rounds(idle, nothing, 4);
    EXPECT_EQ(idle.bytes_read(), 0u);
}

TEST_P(OrderedReader, RefusesRangesPastTheEndByFileAndOffset) {
    const open_store store(options());
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    for (const byte_range& wrong :
         {byte_range{stored_bytes, 1}, byte_range{stored_bytes - 5, 6}, byte_range{most - 3, 100},
          byte_range{5, most}, byte_range{stored_bytes + 100000, 10}, byte_range{most, 0}})
        expect_error<usage_error>(
            [&] {
                ordered_reader(store, {{0, 100}, wrong});
            },
            {path_, std::to_string(wrong.offset)});
}

/// Ranges of any bytes, of a store whose stripes lie in two or three files in turn.
TEST_P(OrderedReader, CutsRangesAtTheStripesOfSeveralFiles) {
    constexpr std::size_t stripe = std::size_t{1} << 17;
    for (const std::size_t count : {2, 3}) {
        std::vector<std::string> paths;
        for (std::size_t i = 0; i < count; ++i) {
            paths.push_back(folder_.path + "/stripes" + std::to_string(i));
            std::ofstream file(paths.back(), std::ios::binary);
            for (std::size_t at = i * stripe; at < stored_bytes; at += count * stripe)
                file.write(reinterpret_cast<const char*>(stored_.data()) + at,
                           static_cast<std::streamsize>(std::min(stripe, stored_bytes - at)));
            file.close();  // whole stripes, as many in each file
            const std::size_t rows = (stored_bytes + count * stripe - 1) / (count * stripe);
            std::filesystem::resize_file(paths.back(), rows * stripe);
        }
        store_options wanted = options();
        wanted.files = {.paths = paths, .stripe = stripe};
        const open_store store(wanted);
        for (const std::size_t request : {std::size_t{1} << 14, stripe}) {
            const auto ranges = some_ranges(31, static_cast<unsigned>(count));
            ordered_reader reader(store, ranges, {.ahead = 3, .request = request});
            expect_rounds(reader, ranges, 2);
        }
        if (store.stripe() > 0)
            EXPECT_THROW(ordered_reader(store, {{0, 1}}, {.request = 3 << 14}), usage_error);
        else
            EXPECT_TRUE(store.in_queues());  // its controller cuts requests
    }
}

std::vector<access_path> paths() {
    std::vector<access_path> all;
    for (const processor who : {the_cpu, gpu_number(0)}) {
        if (who.is_gpu() && device::count() == 0) continue;
        for (const engine_row& row : engines()) {
            directory folder;
            const std::string file = folder.file("probe", 8192);
            try {
                require_engine(
                    {.engine = std::string(row.name), .who = who, .files = {.paths = {file}}});
                all.push_back({std::string(row.name), who});
            } catch (const unsupported&) {
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Engine, OrderedReader, ::testing::ValuesIn(paths()), [](const auto& info) {
    std::string name = (info.param.who.is_gpu() ? "gpu_" : "cpu_") + info.param.engine;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

// Data that come after their completion are for the user's checksums to detect.
class OrderedReaderFaults : public ::testing::TestWithParam<double fault_plan::*> {};

TEST_P(OrderedReaderFaults, AreSurvivedOrReported) {
    std::vector<std::byte> stored = random_bytes(std::size_t{3} << 20, 7);
    fault_plan plan{.seed = 3};
    plan.*GetParam() = 0.02;
    const open_store store({.engine = "queue",
                            .who = the_cpu,
                            .behind = make_faulty(make_ram({stored.data(), stored.size()}), plan),
                            .requests = 32,
                            .largest_block = 4096});
    std::vector<byte_range> ranges;
    for (std::size_t n = 0; n < 40; ++n) ranges.push_back({n * 70001, 65537});
    for (byte_range range : hostile_ranges()) {
        range.offset = std::min<std::uint64_t>(range.offset, stored.size() - 1);
        range.bytes = std::min<std::uint64_t>(range.bytes, stored.size() - range.offset);
        ranges.push_back(range);
    }
    ordered_reader reader(store, ranges, {.depth = 8, .request = 4096});
    for (int round = 0; round < 3; ++round)
        for (std::size_t n = 0; n < ranges.size(); ++n) {
            const auto piece = reader.next();
            ASSERT_EQ(
                std::memcmp(piece.data, stored.data() + ranges[piece.range].offset, piece.bytes),
                0);
        }
}

INSTANTIATE_TEST_SUITE_P(Fault, OrderedReaderFaults,
                         ::testing::Values(&fault_plan::reordered, &fault_plan::delayed,
                                           &fault_plan::duplicated, &fault_plan::failed,
                                           &fault_plan::bad_phase));

TEST(OrderedReaderOptions, ThatMakeNoSenseAreRefused) {
    std::vector<std::byte> stored(1 << 16);
    const open_store store(
        {.engine = "queue", .who = the_cpu, .memory = stored, .largest_block = 4096});
    const std::vector<byte_range> one{{0, 100}};
    EXPECT_THROW(ordered_reader(store, {}), usage_error);
    EXPECT_THROW(ordered_reader(store, one, {.ahead = 0}), usage_error);
    EXPECT_THROW(ordered_reader(store, one, {.ahead = ~std::size_t{0}}), usage_error);
    EXPECT_THROW(ordered_reader(store, {{stored.size() - 1, 2}}), usage_error);
    EXPECT_THROW(ordered_reader(store, one, {.readers = 0}), usage_error);
    EXPECT_THROW(ordered_reader(store, one, {.request = 100}), usage_error);
    EXPECT_THROW(ordered_reader(store, one, {.resident = {true, false}}), usage_error);
}

}  // namespace
}  // namespace watari::storage
