// The cases as the library offers them, on the CPU and on small arrays.
#include <gtest/gtest.h>

#include "../native/memory.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/clock.hpp"

#include "core/cache_of.hpp"

namespace watari::cases {
namespace {

copy_parameters small_copy() {
    copy_parameters p;
    p.size = 80008;  // an odd number of doubles
    p.samples = 7;
    p.threads = 2;
    return p;
}

TEST(Copy, KeepsEverySampleAndVerifiesEveryElement) {
    const double before = measure::now();
    const measure::trial t = copy(small_copy());
    EXPECT_EQ(t.host_s.size(), 7u);
    EXPECT_TRUE(t.device_s.empty());
    for (const double s : t.host_s) EXPECT_GT(s, 0.0);
    EXPECT_EQ(t.wrong_elements, 0u);
    EXPECT_GE(t.first_sample, before);
    EXPECT_EQ(t.quantities.at("threads").value, 2.0);
    EXPECT_EQ(t.residency_before.at("source").bytes, 80008u);
    EXPECT_EQ(t.residency_after.at("destination").bytes, 80008u);
}

TEST(Copy, IsTheSameByStoresThatPassByTheCaches) {
    const cache_of none(0);
    EXPECT_EQ(copy(small_copy()).wrong_elements, 0u);
}

TEST(Copy, IsTheSameByOrdinaryStores) {
    copy_parameters p = small_copy();
    p.ordinary_stores = true;
    EXPECT_EQ(copy(p).wrong_elements, 0u);
    p.processor = gpu_number(0);
    EXPECT_THROW(copy(p), unsupported);
}

TEST(Copy, RefusesWhatTheCpuCannotDo) {
    const auto refused = [](auto change) {
        copy_parameters p = small_copy();
        change(p);
        EXPECT_THROW(copy(p), unsupported);
    };
    refused([](auto& p) { p.copy_engine = true; });
    refused([](auto& p) { p.streams = 2; });
    refused([](auto& p) { p.bidirectional = true; });
    refused([](auto& p) { p.to.kind = memory::kind::device; });
    refused([](auto& p) {
        p.to.kind = memory::kind::managed;
        p.thp = memory::huge_pages::always;
    });
}

TEST(Copy, RefusesASizeBeyondMemoryAndOneBelowAnElement) {
    copy_parameters p = small_copy();
    p.size = std::size_t{1} << 50;
    EXPECT_THROW(copy(p), beyond_memory);
    p.size = 7;
    EXPECT_THROW(copy(p), usage_error);
}

TEST(Touch, GivesFreshPagesToEverySample) {
    touch_parameters p;
    p.size = 8 << 20;
    p.samples = 5;
    p.kind = memory::kind::pageable;
    const measure::trial t = touch(p);
    EXPECT_EQ(t.host_s.size(), 5u);
    for (const char* name : {"allocate_s", "free_s", "second_pass_s"})
        EXPECT_EQ(t.series.at(name).size(), 5u) << name;
    EXPECT_EQ(t.wrong_elements, 0u);
    const memory::residency& before = t.residency_before.at("array");
    EXPECT_EQ(before.cpu, 0u) << "a page was there before the first touch";
}

TEST(SharedMemory, NeedsAGpu) {
    if (device::count() > 0) GTEST_SKIP() << "there is a GPU";
    EXPECT_THROW(migration({}), error);
    access_parameters p;
    p.size = 4096;
    p.kind = memory::kind::managed;
    EXPECT_THROW(access(p), unsupported);
    touch_parameters prefetch;
    prefetch.size = 4096;
    prefetch.operation = touch_operation::prefetch;
    EXPECT_THROW(touch(prefetch), unsupported);
}

}  // namespace
}  // namespace watari::cases
