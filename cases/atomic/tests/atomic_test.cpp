// The slots of updates, and that no update is lost.
#include <gtest/gtest.h>

#include "../native/atomic.hpp"
#include "../native/kernels.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace watari::counting {
namespace {

TEST(Slots, ShareTheUpdatesWithoutALoss) {
    for (const std::size_t updates : {1u, 7u, 64u, 1000u})
        for (const std::size_t workers : {1u, 3u, 7u, 64u}) {
            std::size_t next = 0;
            for (std::size_t worker = 0; worker < workers; ++worker) {
                const part mine = part_of(updates, worker, workers);
                EXPECT_EQ(mine.first, next);
                EXPECT_GE(mine.last, mine.first);
                next = mine.last;
            }
            EXPECT_EQ(next, updates);
        }
}

TEST(Slots, SpreadAHistogramEvenly) {
    const slots histogram{contention::histogram, 64, 1};
    std::vector<std::size_t> bins(histogram.words());
    for (std::uint64_t i = 0; i < 64 * 1000; ++i) ++bins[histogram(i, 0)];
    EXPECT_EQ(bins.size(), 64u);
    EXPECT_GT(*std::min_element(bins.begin(), bins.end()), 850u);
    EXPECT_LT(*std::max_element(bins.begin(), bins.end()), 1150u);
}

TEST(Slots, OfOneCounterAndOfOwnOnes) {
    const slots one{contention::counter, 1, 8}, own{contention::own, 1, 8};
    EXPECT_EQ(one.words(), 1u);
    EXPECT_EQ(one(123, 4), 0u);
    EXPECT_EQ(own.words(), 8 * line_words);
    EXPECT_EQ(own(123, 4), 4 * line_words);
}

TEST(AtomicKernel, CountsUpdatesOfThreadsThatShareOneCounter) {
    const kernels& run = kernels_on<kernels>(the_cpu);
    for (const auto add : {run.add, run.add_everywhere}) {
        std::uint64_t counter = 5;
        run.clear(&counter, 1, nullptr);
        const slots where{contention::counter, 1, 4};
        add({&counter, where, 100'001, 4, 0}, nullptr);
        EXPECT_EQ(counter, 100'001u);
    }
}

parameters small() {
    parameters p;
    p.updates = 10'007;
    p.samples = 3;
    p.threads = 2;
    return p;
}

TEST(Atomic, KeepsEverySampleAndLosesNoUpdate) {
    for (const contention spread : {contention::counter, contention::histogram, contention::own})
        for (const std::size_t bins : {1u, 64u}) {
            parameters p = small();
            p.spread = spread;
            p.bins = bins;
            const measure::trial t = run(p);
            EXPECT_EQ(t.host_s.size(), 3u);
            EXPECT_TRUE(t.device_s.empty());
            EXPECT_EQ(t.wrong_elements, 0u);
            EXPECT_GT(t.quantities.at("update_s").value, 0);
            EXPECT_TRUE(t.series.empty());
        }
}

TEST(Atomic, RefusesWhatCannotBeMeant) {
    const auto refused = [](auto change) {
        parameters p = small();
        change(p);
        EXPECT_THROW(run(p), usage_error);
    };
    refused([](auto& p) { p.updates = 0; });
    refused([](auto& p) { p.bins = 3; });
    refused([](auto& p) { p.together = true; });
}

TEST(Atomic, RefusesWhatTheMachineCannotDo) {
    parameters p = small();
    p.kind = memory::kind::device;
    EXPECT_THROW(run(p), unsupported);
    if (device::count() > 0) GTEST_SKIP() << "there is a GPU";
    p.processor = gpu_number(0);
    p.together = true;
    p.kind = memory::kind::managed;
    EXPECT_THROW(run(p), unsupported);
}

}  // namespace
}  // namespace watari::counting
