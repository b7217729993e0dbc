// One random cycle; a chase ends at the element that the cycle gives.
#include <gtest/gtest.h>

#include "../native/cycle.hpp"
#include "../native/kernels.hpp"
#include "../native/latency.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace watari::latency {
namespace {

parameters small() {
    parameters p;
    p.size = 64 << 10;
    p.samples = 3;
    p.steps = 4096;
    return p;
}

TEST(RandomCycle, VisitsEveryElementOnceAndComesBack) {
    for (const std::size_t count : {2u, 3u, 4u, 5u, 63u, 64u, 65u, 1000u, 65536u, 99991u})
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            const cycle next = random_cycle(count, seed);
            std::vector<bool> visited(count);
            std::size_t at = 0;
            for (std::size_t step = 0; step < count; ++step) {
                ASSERT_FALSE(visited[at]) << count << " elements, step " << step;
                visited[at] = true;
                at = next[at];
                ASSERT_LT(at, count);
            }
            EXPECT_EQ(at, 0u);
            EXPECT_EQ(walk_cycle(next, 0).length, count);
        }
}

TEST(RandomCycle, IsRandomAndTheSameForASeed) {
    EXPECT_EQ(random_cycle(4096, 1), random_cycle(4096, 1));
    const cycle next = random_cycle(4096, 1);
    EXPECT_NE(next, random_cycle(4096, 2));
    std::size_t neighbours = 0;  // predictable links: about 2 of 4096 by chance
    for (std::size_t i = 0; i < next.size(); ++i)
        neighbours += next[i] == i + 1 || next[i] + 1 == i;
    EXPECT_LT(neighbours, 16u);
}

TEST(RandomCycle, OfThreeElementsIsEitherOfBoth) {
    std::size_t forward = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) forward += random_cycle(3, seed)[0] == 1;
    EXPECT_GT(forward, 400u);
    EXPECT_LT(forward, 600u);
}

TEST(RandomCycle, RefusesFewerThanTwoElements) {
    EXPECT_THROW(random_cycle(0, 1), usage_error);
    EXPECT_THROW(random_cycle(1, 1), usage_error);
    EXPECT_THROW(random_cycle(most_elements + 1, 1), usage_error);
}

TEST(WalkCycle, EndsAfterItsStepsAndSeesShortCycles) {
    const cycle ring{1, 2, 3, 4, 0};
    EXPECT_EQ(walk_cycle(ring, 3).end, 3u);
    EXPECT_EQ(walk_cycle(ring, 12).end, 2u);
    EXPECT_EQ(walk_cycle({1, 0, 3, 2}, 1).length, 2u);
    EXPECT_EQ(walk_cycle({1, 2, 1}, 1).length, 0u);  // never back at 0
}

TEST(Chase, EndsWhereTheCycleSaysAtAnyStride) {
    const kernels& run = kernels_on<kernels>(the_cpu);
    for (const std::size_t stride : {8u, 64u, 136u, 4096u})
        for (const std::size_t count : {2u, 17u, 1000u}) {
            const cycle next = random_cycle(count, 7);
            std::vector<link> data(count * stride / sizeof(link));
            const chain elements{reinterpret_cast<std::byte*>(data.data()), stride, next.data(),
                                 count};
            run.install(elements, nullptr);
            EXPECT_EQ(run.mismatches(elements, nullptr), 0u);
            const link* cursor = data.data();
            for (std::size_t steps = unrolled; steps < 10 * unrolled; steps += unrolled)
                run.chase(&cursor, steps, nullptr);
            const std::size_t end = walk_cycle(next, 45 * unrolled).end;
            EXPECT_EQ(cursor, data.data() + end * stride / sizeof(link)) << stride << " " << count;
            data[0].next = data.data();
            EXPECT_EQ(run.mismatches(elements, nullptr), 1u);
        }
}

TEST(Latency, KeepsEverySampleAndIsVerified) {
    for (const std::size_t stride : {8u, 64u, 4096u}) {
        parameters p = small();
        p.stride = stride;
        const measure::trial t = run(p);
        EXPECT_EQ(t.host_s.size(), 3u);
        EXPECT_TRUE(t.device_s.empty());
        EXPECT_EQ(t.wrong_elements, 0u);
        EXPECT_GT(t.quantities.at("latency_s").value, 1e-10);
        EXPECT_LE(t.quantities.at("latency_s").value, std::ranges::max(t.host_s) / 4096);
        EXPECT_EQ(t.residency_before.at("array").bytes, 65536u);
    }
}

TEST(Latency, RefusesWhatCannotBeMeant) {
    const auto refused = [](auto change) {
        parameters p = small();
        change(p);
        EXPECT_THROW(run(p), usage_error);
    };
    refused([](auto& p) { p.stride = 4; });
    refused([](auto& p) { p.stride = 65; });
    refused([](auto& p) { p.steps = 0; });
    refused([](auto& p) { p.steps = unrolled + 1; });
    refused([](auto& p) { p.size = 64; });
}

TEST(Latency, RefusesWhatTheCpuCannotDo) {
    parameters p = small();
    p.kind = memory::kind::device;
    EXPECT_THROW(run(p), unsupported);
    p.kind = memory::kind::managed;
    p.thp = memory::huge_pages::always;
    EXPECT_THROW(run(p), unsupported);
    p = small();
    p.size = std::size_t{1} << 50;
    p.stride = std::size_t{1} << 20;
    EXPECT_THROW(run(p), beyond_memory);
}

TEST(Latency, NeedsAGpuForAGpu) {
    if (device::count() > 0) GTEST_SKIP() << "there is a GPU";
    parameters p = small();
    p.processor = gpu_number(0);
    p.kind = memory::kind::device;
    EXPECT_THROW(run(p), unsupported);
}

}  // namespace
}  // namespace watari::latency
