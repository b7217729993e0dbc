// Blocks longer than a command, by both engines over queues. The data of reads are copied by the
// user, or delivered by the controller.
#include "storage/random_bytes.hpp"
#include "watari/core/device.hpp"
#include "watari/machine/hardware_queues.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/controller/controller.hpp"
#include "watari/storage/controller/delivery.hpp"
#include "watari/storage/engines/engine.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

namespace watari::storage {
namespace {

constexpr std::size_t command = 8192, block = 8 * command, blocks = 50;

struct access_path {
    processor who;
    std::uint32_t delivered_from;
};

std::ostream& operator<<(std::ostream& to, const access_path& w) {
    return to << (w.who.is_gpu() ? "gpu" : "cpu") << (w.delivered_from > 0 ? "/delivered" : "");
}

class Commands : public ::testing::TestWithParam<access_path> {
protected:
    /// Reads every block into `memory`, or writes it from there, the last block first.
    void move(files::direction direction, std::vector<std::byte>& memory,
              const fault_plan& faults = {}) {
        const auto [who, delivered_from] = GetParam();
        const controller disk(make_faulty(make_ram(stored_), faults),
                              {.queues = {.users = who,
                                          .queues = 2,
                                          .depth = 16,
                                          .max_transfer = command,
                                          .limit = 300,
                                          .delivered_from = delivered_from},
                               .threads = 2});
        const namespace_view view = disk.view();
        const memory::buffer<std::byte> there(
            who.is_gpu() ? memory::kind::device : memory::kind::pageable, memory.size(),
            {.device = who.number});
        const auto copy = [&, on_gpu = who.is_gpu()](std::byte* to, const std::byte* from) {
            if (!on_gpu) return void(std::memcpy(to, from, memory.size()));
            device::copy(to, from, memory.size(), nullptr);
            device::synchronize(nullptr);
        };
        copy(there.data(), memory.data());
        std::vector<std::uint64_t> offsets(blocks);
        for (std::size_t i = 0; i < blocks; ++i) offsets[i] = (blocks - 1 - i) * block;
        const auto by = engine_named(who.is_gpu() ? "gpu" : "queue")
                            .make({.view = &view,
                                   .direction = direction,
                                   .block = block,
                                   .depth = 3,
                                   .requests = blocks,
                                   .who = who});
        by->run({offsets, there.data(), block});
        seconds_.assign(by->seconds().begin(), by->seconds().end());
        again_ = by->sent_again();
        commands_ = disk.counts().commands;
        copy(memory.data(), there.data());
    }

    /// Returns the blocks in the order of `move`.
    static std::vector<std::byte> turned(const std::vector<std::byte>& from) {
        std::vector<std::byte> to(from.size());
        for (std::size_t i = 0; i < blocks; ++i)
            std::copy_n(&from[(blocks - 1 - i) * block], block, &to[i * block]);
        return to;
    }

    std::vector<std::byte> stored_ = random_bytes(blocks * block, 1);
    std::vector<double> seconds_;
    repetitions again_;
    std::uint64_t commands_ = 0;
};

TEST_P(Commands, MakeUpBlocks) {
    std::vector<std::byte> memory(blocks * block);
    move(files::direction::read, memory);
    EXPECT_EQ(memory, turned(stored_));
    EXPECT_EQ(commands_, blocks * block / command);
    ASSERT_EQ(seconds_.size(), blocks);
    EXPECT_GT(*std::min_element(seconds_.begin(), seconds_.end()), 0);

    memory = random_bytes(blocks * block, 2);
    const std::vector<std::byte> written = turned(memory);
    move(files::direction::write, memory);
    EXPECT_EQ(stored_, written);
}

TEST_P(Commands, TakeAsLongAsTheSlowestOfABlock) {
    std::vector<std::byte> memory(blocks * block);
    constexpr double delay = 0.02;
    move(files::direction::read, memory, {.seed = 3, .delay = delay, .delayed = 0.05});
    EXPECT_EQ(memory, turned(stored_));
    // every third block has a delayed command of eight, every twentieth a delayed first one
    EXPECT_GE(std::count_if(seconds_.begin(), seconds_.end(), [](double s) { return s >= delay; }),
              static_cast<std::ptrdiff_t>(blocks / 6));
}

TEST_P(Commands, AreSentAgainAlone) {
    std::vector<std::byte> memory(blocks * block);
    move(files::direction::read, memory, {.seed = 5, .failed = 0.02});
    EXPECT_EQ(memory, turned(stored_));
    EXPECT_GT(again_.count, 0u);
    EXPECT_LT(again_.count, blocks * block / command);
    EXPECT_EQ(again_.first, unrecovered_read);
    EXPECT_EQ(commands_, blocks * block / command + again_.count);
}

std::vector<access_path> everyone() {
    std::vector<access_path> all{{the_cpu, 0}, {the_cpu, command}};
    if (device::count() > 0) {
        all.push_back({gpu_number(0), 0});
        if (machine::copies_pass_kernels()) all.push_back({gpu_number(0), command});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Commands, ::testing::ValuesIn(everyone()));

TEST(Queues, OfAGpuHaveShortCommands) {
    constexpr std::size_t mebibyte = 1 << 20;
    const queue_options gpu = queues_for(gpu_number(0), 4, 4 * 2, mebibyte);
    EXPECT_EQ(gpu.max_transfer, mebibyte / 8);
    EXPECT_EQ(gpu.queues, 8u);
    EXPECT_EQ(gpu.max_outstanding * gpu.queues, 4 * 2 * 8u);
    EXPECT_EQ(queues_for(gpu_number(0), 4, 8, mebibyte / 8 + 512).max_transfer, mebibyte / 4);
    EXPECT_EQ(queues_for(the_cpu, 4, 8, mebibyte).max_transfer, mebibyte);
}

TEST(Queues, LendAsManyIdentifiersAsThereAreRequests) {
    for (const std::size_t threads : {1, 3, 4, 14})
        for (const std::size_t under_way : {1, 7, 8, 9, 64, 300})
            for (const processor who : {the_cpu, gpu_number(0)}) {
                const queue_options found = queues_for(who, threads, under_way, 4096);
                EXPECT_GE(found.max_outstanding * found.queues, under_way);
                EXPECT_LT((found.max_outstanding - 1) * found.queues, under_way);
                EXPECT_LT(found.max_outstanding, found.depth);
                EXPECT_LE(found.depth, 2 * std::max(found.max_outstanding, 1u));
            }
}

TEST(Queues, CanBeMadeWhateverIsAskedOfThem) {
    for (const std::size_t threads : {1, 3, 14, 200})
        for (const std::size_t under_way : {1, 4, 64})
            for (const std::size_t block : {std::size_t{512}, std::size_t{1} << 20, large_run}) {
                const queue_options found = queues_for(gpu_number(0), threads, under_way, block);
                EXPECT_GE(found.depth, least_depth) << threads << " " << under_way << " " << block;
                EXPECT_TRUE(std::has_single_bit(found.depth));
            }
}

/// Sets CUDA_DEVICE_MAX_CONNECTIONS, and restores it in the destructor.
class connections {
public:
    explicit connections(const char* wanted) {
        if (const char* set = std::getenv(name)) before_ = set;
        wanted ? setenv(name, wanted, 1) : unsetenv(name);
    }
    ~connections() { before_ ? setenv(name, before_->c_str(), 1) : unsetenv(name); }
    connections(const connections&) = delete;
    connections& operator=(const connections&) = delete;

private:
    static constexpr const char* name = "CUDA_DEVICE_MAX_CONNECTIONS";
    std::optional<std::string> before_;
};

TEST(Queues, OfAGpuHaveLongOnesForTheCopyEngine) {
    const connections usual(nullptr);
    const queue_options gpu = queues_for(gpu_number(0), 4, 8, 4 * large_run);
    EXPECT_EQ(gpu.max_transfer, large_run);
    EXPECT_EQ(gpu.delivered_from, large_run);
    EXPECT_GE(gpu.depth * gpu.queues, 8 * 4u);
    EXPECT_EQ(queues_for(gpu_number(0), 4, 8, large_run / 2).delivered_from, 0u);
    EXPECT_EQ(queues_for(the_cpu, 4, 8, large_run).delivered_from, 0u);
}

TEST(Queues, LeaveTheCopyEngineAloneWhereItWaitsForKernels) {
    {
        const connections one("1");
        const queue_options gpu = queues_for(gpu_number(0), 4, 8, 4 * large_run);
        EXPECT_EQ(gpu.delivered_from, 0u);
        EXPECT_EQ(gpu.max_transfer, copied_by_warps);
    }
    const connections eight("8");
    EXPECT_EQ(queues_for(gpu_number(0), 4, 8, 4 * large_run).delivered_from, large_run);
}

}  // namespace
}  // namespace watari::storage
