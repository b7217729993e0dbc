// Engines of files over modelled SSDs: the requests that a disk sees, their data, and that none
// ends before its disk ends it. Times are compared in one direction alone, since a busy machine is
// late.
#include "errors.hpp"
#include "watari/core/error.hpp"
#include "watari/core/parallel/atomic.hpp"
#include "watari/files/memory_file.hpp"
#include "watari/files/uring/uring.hpp"
#include "watari/storage/backends/disk_array.hpp"
#include "watari/storage/stores/modelled_store.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace watari::storage::timed {
namespace {

constexpr std::int64_t latency = 2'000'000;  // ns
constexpr std::size_t block = 4096, stored = std::size_t{1} << 20;

/// What one disk was asked for.
struct seen {
    std::size_t requests = 0, bytes = 0, flushes = 0, in_flight = 0, most_in_flight = 0;
    bool early = false;  ///< a request ended before its time
    std::vector<std::int64_t> due{};
};

/// A disk with one latency, which writes down its requests.
class recording_ssd final : public ssd {
public:
    explicit recording_ssd(seen& into) : into_(into) {}
    std::int64_t due(opcode operation, std::size_t bytes, std::int64_t now) override {
        operation == opcode::flush ? ++into_.flushes : ++into_.requests;
        into_.bytes += bytes;
        into_.most_in_flight = std::max(into_.most_in_flight, ++into_.in_flight);
        into_.due.push_back(now + latency);
        return now + latency;
    }
    void ended(opcode, std::size_t) override {
        --into_.in_flight;
        const auto first = std::min_element(into_.due.begin(), into_.due.end());
        into_.early |= cpu::nanoseconds() < *first;
        into_.due.erase(first);
    }
    std::string source() const override { return "recording"; }

private:
    seen& into_;
};

class ModelledTime : public ::testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (GetParam() == "uring")
            if (const std::string reason = files::uring_absent_reason(); !reason.empty())
                GTEST_SKIP() << reason;
        for (std::size_t at = 0; at < stored; ++at) content_[at] = static_cast<char>(at * 7 >> 9);
        ASSERT_EQ(pwrite(file_.get(), content_.data(), stored, 0), static_cast<ssize_t>(stored));
    }

    /// A store over `count` disks of this stripe.
    open_store opened(std::size_t count, std::size_t stripe) {
        std::vector<std::unique_ptr<ssd>> all;
        disks_.resize(count);
        for (seen& each : disks_) all.push_back(std::make_unique<recording_ssd>(each));
        return open_store({.engine = GetParam(),
                           .who = the_cpu,
                           .files = {.paths = {files::path_of(file_)},
                                     .writable = true,
                                     .cache = files::cache_state::cold},
                           .disks = std::make_shared<disk_array>(std::move(all), stripe)});
    }

    engine_options how(files::direction direction, std::size_t bytes, std::size_t count) {
        memory_.resize(bytes * count);
        return {.direction = direction,
                .block = bytes,
                .depth = GetParam() == "uring" ? std::size_t{8} : 1,
                .requests = count,
                .memory = reinterpret_cast<std::byte*>(memory_.data()),
                .bytes = memory_.size()};
    }

    files::descriptor file_ = files::memory_file("watari-test", stored);
    std::string content_ = std::string(stored, '\0');
    std::string memory_;
    std::vector<seen> disks_;
};

TEST_P(ModelledTime, NoReadEndsBeforeItsDiskEndsIt) {
    const open_store store = opened(1, stored);
    const auto by = store.open(how(files::direction::read, block, 20));
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < 20; ++i) offsets.push_back((i * 37 % 200) * block);
    by->run({offsets, reinterpret_cast<std::byte*>(memory_.data()), block});
    for (std::size_t i = 0; i < offsets.size(); ++i)
        EXPECT_EQ(memory_.substr(i * block, block), content_.substr(offsets[i], block)) << i;
    EXPECT_EQ(disks_[0].requests, 20u);
    EXPECT_EQ(disks_[0].bytes, 20 * block);
    EXPECT_EQ(disks_[0].in_flight, 0u);
    EXPECT_EQ(disks_[0].most_in_flight, GetParam() == "uring" ? 8u : 1u);
    EXPECT_FALSE(disks_[0].early);
    for (const double seconds : by->seconds()) EXPECT_GE(seconds, latency * 1e-9);
}

TEST_P(ModelledTime, ARequestIsCutAtTheStripesOfTheDisks) {
    const open_store store = opened(2, block);
    const auto by = store.open(how(files::direction::read, 3 * block, 1));
    const std::uint64_t offsets[] = {block + 512};  // disk 1, 0, 1, 0
    by->run({offsets, reinterpret_cast<std::byte*>(memory_.data()), 3 * block});
    EXPECT_EQ(memory_, content_.substr(offsets[0], 3 * block));
    EXPECT_EQ(disks_[1].bytes, 2 * block - 512);
    EXPECT_EQ(disks_[0].bytes, block + 512);
    EXPECT_EQ(disks_[0].requests + disks_[1].requests, 4u);
}

TEST_P(ModelledTime, ABlockInPartsIsOneRequest) {
    const open_store store = opened(1, stored);
    const auto by = store.open(how(files::direction::read, 2 * block, 2));
    const std::uint64_t offsets[] = {0, 8 * block};
    by->run({offsets, reinterpret_cast<std::byte*>(memory_.data()), 2 * block, 2, 2 * block});
    EXPECT_EQ(memory_.substr(0, block), content_.substr(0, block));
    EXPECT_EQ(memory_.substr(2 * block, block), content_.substr(block, block));
    EXPECT_EQ(memory_.substr(block, block), content_.substr(8 * block, block));
    EXPECT_EQ(disks_[0].requests, 2u);
    EXPECT_EQ(disks_[0].bytes, 4 * block);
}

TEST_P(ModelledTime, WritesAndFlushesAreHeldBackToo) {
    const open_store store = opened(1, stored);
    const auto by = store.open(how(files::direction::write, block, 2));
    std::fill(memory_.begin(), memory_.end(), 'w');
    const std::uint64_t offsets[] = {block, 3 * block};
    by->run({offsets, reinterpret_cast<std::byte*>(memory_.data()), block});
    const std::int64_t before = cpu::nanoseconds();
    by->flush();
    EXPECT_GE(cpu::nanoseconds() - before, latency);
    std::string there(block, '\0');
    ASSERT_EQ(pread(file_.get(), there.data(), block, 3 * block), static_cast<ssize_t>(block));
    EXPECT_EQ(there, std::string(block, 'w'));
    EXPECT_EQ(disks_[0].requests, 2u);
    EXPECT_EQ(disks_[0].flushes, 1u);
    EXPECT_FALSE(disks_[0].early);
    EXPECT_EQ(store.notice(), "modelled: recording");
}

INSTANTIATE_TEST_SUITE_P(EnginesOfFiles, ModelledTime, ::testing::Values("posix", "uring"),
                         [](const auto& info) { return info.param; });

/// A closed loop of `depth` requests of 4 KiB, in seconds a request: by the engine, and by the
/// formula of the data sheet.
TEST(ModelledTimeOfADataSheet, IsNeverFasterThanTheFormula) {
    const files::descriptor file = files::memory_file("watari-test", stored);
    const std::size_t count = 256;
    std::vector<std::byte> memory(count * block);
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < count; ++i) offsets.push_back(i * 53 % 256 * block);
    for (const char* name : {"posix", "uring"}) {
        if (name == std::string("uring") && !files::uring_absent_reason().empty()) continue;
        const open_store store(
            {.engine = name,
             .who = the_cpu,
             .files = {.paths = {files::path_of(file)}, .cache = files::cache_state::cold},
             .disks = std::make_shared<disk_array>(disks_of("modelled:kioxia-cm6-v", {}, 1))});
        const std::size_t depth = store.depth(4);
        const auto by = store.open({.direction = files::direction::read,
                                    .block = block,
                                    .depth = depth,
                                    .requests = count,
                                    .memory = memory.data(),
                                    .bytes = memory.size()});
        const std::int64_t start = cpu::nanoseconds();
        by->run({offsets, memory.data(), block});
        const double seconds = static_cast<double>(cpu::nanoseconds() - start) * 1e-9;
        const auto disk = make_ssd({.name = "kioxia-cm6-v"});
        const double iops = closed_loop(*disk, opcode::read, block, depth, 1000).iops;
        EXPECT_GE(seconds, 0.98 * static_cast<double>(count) / iops) << name;
    }
}

TEST(ModelledTimeOfOtherEngines, IsRefused) {
    const files::descriptor file = files::memory_file("watari-test", stored);
    const store_options by_mmap{
        .engine = "mmap",
        .who = the_cpu,
        .files = {.paths = {files::path_of(file)}, .cache = files::cache_state::cold},
        .disks = std::make_shared<disk_array>(disks_of("modelled:ten-million", {}, 1))};
    expect_error<unsupported>([&] { const open_store store(by_mmap); },
                              {"cannot hold a request back"});
    EXPECT_TRUE(is_modelled("modelled:x"));
    EXPECT_FALSE(is_modelled("file"));
    EXPECT_THROW(disk_array(disks_of("modelled:no-such", {}, 1)), usage_error);
}

}  // namespace
}  // namespace watari::storage::timed
