// The CPU backend: loops reach every index once, and sums follow one tree for any number of
// threads.
#include "watari/core/loops.hpp"
#include "watari/core/parallel/sums.hpp"
#include "watari/core/threads.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "watari/measure/copy.hpp"
#include "watari/measure/pattern.hpp"

namespace watari {
namespace {

TEST(ForEach, ReachesEveryIndexOnce) {
    for (const int threads : {1, 2, 3, 7}) {
        cpu::set_threads(threads);
        for (const std::size_t count : {0u, 1u, 2u, 5u, 1000u, 4097u}) {
            std::vector<int> seen(count + 1);
            int* data = seen.data();
            cpu::for_each(
                count, [=](std::size_t i) { ++data[i]; }, nullptr);
            for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], 1) << i << " of " << count;
            EXPECT_EQ(seen[count], 0) << "beyond the end";
        }
    }
}

TEST(Sum, IsTheSameToTheBitWhateverTheThreads) {
    const std::size_t count = 3 * cpu::chunk + 17;
    const auto value = [](std::size_t i) { return 1.0 / static_cast<double>(i + 1); };
    cpu::set_threads(1);
    const double one = cpu::sum<double>(count, value, nullptr);
    for (const int threads : {2, 3, 8}) {
        cpu::set_threads(threads);
        EXPECT_EQ(cpu::sum<double>(count, value, nullptr), one);
    }
    EXPECT_NEAR(one, 12.07321, 1e-4);  // ln(count) + Euler's constant
}

TEST(Sum, OfNothingIsZero) {
    EXPECT_EQ(cpu::sum<double>(
                  0, [](std::size_t) { return 1.0; }, nullptr),
              0.0);
}

TEST(Pattern, SeesEveryWrongElement) {
    const auto& run = kernels_on<measure::pattern_kernels>(the_cpu);
    std::vector<double> data(70001);
    run.fill(data.data(), data.size(), 1, nullptr);
    EXPECT_EQ(run.mismatches(data.data(), data.size(), 1, nullptr), 0u);
    EXPECT_EQ(run.mismatches(data.data(), data.size(), 2, nullptr), data.size());
    EXPECT_EQ(run.mismatches(data.data() + 1, data.size() - 1, 1, nullptr), data.size() - 1)
        << "a copy that is shifted by one";
    data.front() = data.back() = measure::never;
    EXPECT_EQ(run.mismatches(data.data(), data.size(), 1, nullptr), 2u);
}

TEST(Kernels, CopyAnyLengthFromAnyAlignment) {
    const measure::copy_kernels& run = kernels_on<measure::copy_kernels>(the_cpu);
    for (const std::size_t count : {1u, 2u, 3u, 255u, 256u, 1001u}) {
        for (const std::size_t offset : {0u, 1u}) {
            std::vector<double> from(count + 2), to(count + 2, measure::never);
            kernels_on<measure::pattern_kernels>(the_cpu).fill(from.data(), from.size(), 1,
                                                               nullptr);
            run.copy(to.data() + offset, from.data() + 1, count, nullptr);
            for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(to[offset + i], from[1 + i]);
            EXPECT_EQ(to[offset + count], measure::never) << "beyond the end";
        }
    }
}

TEST(Kernels, CopyBothWays) {
    const measure::copy_kernels& run = kernels_on<measure::copy_kernels>(the_cpu);
    for (const std::size_t count : {1u, 256u, 1001u}) {
        std::vector<double> a(count), b(count), to_a(count + 1, -7), to_b(count + 1, -7);
        kernels_on<measure::pattern_kernels>(the_cpu).fill(a.data(), count, 1, nullptr);
        kernels_on<measure::pattern_kernels>(the_cpu).fill(b.data(), count, 2, nullptr);
        run.copy_both(to_a.data(), a.data(), to_b.data(), b.data(), count, nullptr);
        EXPECT_TRUE(std::equal(a.begin(), a.end(), to_a.begin()));
        EXPECT_TRUE(std::equal(b.begin(), b.end(), to_b.begin()));
        EXPECT_EQ(to_a.back(), -7);
        EXPECT_EQ(to_b.back(), -7);
    }
}

TEST(Kernels, ReadChangesNothing) {
    std::vector<double> data(1001);
    kernels_on<measure::pattern_kernels>(the_cpu).fill(data.data(), data.size(), 1, nullptr);
    kernels_on<measure::copy_kernels>(the_cpu).read(data.data(), data.size(), nullptr);
    EXPECT_EQ(kernels_on<measure::pattern_kernels>(the_cpu).mismatches(data.data(), data.size(), 1,
                                                                       nullptr),
              0u);
}

}  // namespace
}  // namespace watari
