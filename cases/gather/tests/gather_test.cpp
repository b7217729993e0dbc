// The order of a gather; every element arrives.
#include <gtest/gtest.h>

#include "../native/gather.hpp"
#include "../native/hot_order.hpp"
#include "../native/kernels.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/pattern.hpp"

#include <cstddef>
#include <vector>

namespace watari::gather {
namespace {

TEST(GatherOrder, VisitsEveryElementOnceInEitherOrder) {
    for (const std::size_t count : {1u, 2u, 3u, 4u, 5u, 31u, 32u, 33u, 1000u, 65536u, 99991u})
        for (const bool random : {false, true}) {
            const order visited(count, random);
            std::vector<bool> seen(count);
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t at = visited(i);
                ASSERT_LT(at, count) << i;
                ASSERT_FALSE(seen[at]) << count << " elements, step " << i;
                seen[at] = true;
            }
        }
}

TEST(GatherOrder, IsAscendingOrHasFewNeighbours) {
    const order ascending(4096, false), random(4096, true);
    std::size_t near = 0;  // predictable steps: about 2 of 4096 by chance
    for (std::size_t i = 1; i < 4096; ++i) {
        EXPECT_EQ(ascending(i), i);
        const auto step = static_cast<std::ptrdiff_t>(random(i) - random(i - 1));
        near += step == 1 || step == -1;
    }
    EXPECT_LT(near, 16u);
}

TEST(GatherHotOrder, VisitsTheHotPartWithItsShareAndTheRestOnceInTurn) {
    constexpr std::size_t hot = 50, cold = 1000, visits = 5000;
    for (const double share : {0.0, 0.25, 0.9, 1.0}) {
        const hot_order all{hot, order(cold, true), static_cast<std::uint64_t>(share * 0x1p32), 0};
        std::vector<std::size_t> seen(hot + cold);
        std::size_t warm = 0;
        for (std::size_t i = 0; i < visits; ++i) {
            const hot_order later{hot, order(cold, true), all.share, i / 100 * 100};
            ASSERT_EQ(later(i % 100), all(i)) << "a pass continues the one before";
            ASSERT_LT(all(i), hot + cold);
            warm += all(i) < hot;
            if (i < cold) ++seen[all(i)];
        }
        EXPECT_NEAR(static_cast<double>(warm) / visits, share, 0.03);
        for (std::size_t i = hot; i < hot + cold; ++i) EXPECT_LE(seen[i], 1u) << share;
    }
}

TEST(GatherHotOrder, KeepsAHotPartThatTheCacheHolds) {
    for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0}) {
        const std::size_t hot = hot_elements(1024, share);
        EXPECT_GE(hot, 1u);
        EXPECT_LE(hot, 512u);
    }
    EXPECT_EQ(hot_elements(1024, 0.5), 256u);
    EXPECT_EQ(hot_elements(1024, 0.9), 512u);
}

TEST(GatherKernel, ReadsWithoutAChange) {
    std::vector<double> data(1000), same(1000);
    for (auto* each : {&data, &same})
        kernels_on<measure::pattern_kernels>(the_cpu).fill(each->data(), 1000, 1, nullptr);
    kernels_on<kernels>(the_cpu).read(data.data(), data.size(), nullptr);
    EXPECT_EQ(data, same);
}

TEST(GatherKernel, CollectsWhatTheOrderSaysAndSeesWhatIsWrong) {
    constexpr std::uint64_t seed = 1;
    const kernels& run = kernels_on<kernels>(the_cpu);
    for (const std::size_t element : {4u, 8u, 16u, 128u, 4096u})
        for (const std::size_t beyond : {0u, 4u, 8u, 64u})
            for (const bool random : {false, true}) {
                const std::size_t stride = element + beyond, count = 100;
                std::vector<double> source((count * stride + 7) / 8), into(count * element / 8 + 1);
                kernels_on<measure::pattern_kernels>(the_cpu).fill(source.data(), source.size(),
                                                                   seed, nullptr);
                const gathering pass{reinterpret_cast<const std::byte*>(source.data()),
                                     reinterpret_cast<std::byte*>(into.data()), element, stride,
                                     order(count, random)};
                run.gather(pass, nullptr);
                EXPECT_EQ(run.mismatches(pass, seed, nullptr), 0u) << element << " " << stride;
                const auto* words = reinterpret_cast<const std::uint32_t*>(source.data());
                auto* first = reinterpret_cast<std::uint32_t*>(into.data());
                EXPECT_EQ(first[0], words[pass.visited(0) * stride / 4]);
                first[0] ^= 1;
                EXPECT_EQ(run.mismatches(pass, seed, nullptr), 1u);
            }
}

parameters small() {
    parameters p;
    p.size = 64 << 10;
    p.samples = 3;
    p.threads = 2;
    return p;
}

TEST(Gather, KeepsEverySampleAndIsVerified) {
    for (const std::size_t element : {4u, 8u, 64u, 4096u})
        for (const bool random : {false, true}) {
            parameters p = small();
            p.element = element;
            p.stride = element == 4 ? 68 : 4096;
            p.random = random;
            const measure::trial t = run(p);
            EXPECT_EQ(t.host_s.size(), 3u);
            EXPECT_TRUE(t.device_s.empty());
            EXPECT_EQ(t.wrong_elements, 0u);
            EXPECT_GT(t.quantities.at("first_element_s").value, 0);
            EXPECT_EQ(t.residency_before.at("source").bytes, p.size);
        }
}

TEST(Gather, RefusesWhatCannotBeMeant) {
    const auto refused = [](auto change) {
        parameters p = small();
        change(p);
        EXPECT_THROW(run(p), usage_error);
    };
    refused([](auto& p) { p.element = 12; });
    refused([](auto& p) { p.element = 2; });
    refused([](auto& p) { p.element = 8192; });
    refused([](auto& p) { p.stride = 4; });
    refused([](auto& p) { p.stride = 66; });
    refused([](auto& p) { p.size = 32; });
    refused([](auto& p) { p.turns = turns::read; });  // the CPU has the source anyway
    refused([](auto& p) {
        p.turns = turns::prefetch;
        p.toucher = processor::type::gpu;
        p.hint = memory::hint::prefetch;
    });
}

TEST(Gather, RefusesWhatTheCpuCannotDo) {
    parameters p = small();
    p.toucher = processor::type::gpu;
    EXPECT_THROW(run(p), unsupported);
    p = small();
    p.kind = memory::kind::device;
    EXPECT_THROW(run(p), unsupported);
    p = small();
    p.hint = memory::hint::mapped;
    EXPECT_THROW(run(p), unsupported);
    p = small();
    p.size = std::size_t{1} << 50;
    EXPECT_THROW(run(p), beyond_memory);
}

TEST(Gather, NeedsAGpuForAGpu) {
    if (device::count() > 0) GTEST_SKIP() << "there is a GPU";
    parameters p = small();
    p.processor = gpu_number(0);
    p.kind = memory::kind::device;
    p.toucher = processor::type::gpu;
    EXPECT_THROW(run(p), unsupported);
}

}  // namespace
}  // namespace watari::gather
