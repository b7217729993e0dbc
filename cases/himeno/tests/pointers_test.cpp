// Kernels that load their pointers from a struct in memory compute the same bits as kernels that
// get their pointers with the launch, and write nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "../native/himeno.hpp"
#include "../native/loop.hpp"
#include "watari/memory/buffer.hpp"

namespace watari::himeno {
namespace {

constexpr grid size{7, 6, 40};

/// 14 arrays with the general data, and the struct that points to them.
struct arrays {
    memory::buffer<float> data{memory::kind::pageable, 14 * size.points()};
    fields f{.size = size};

    arrays() {
        float* next = data.data();
        for (float** array : pointers(f)) *array = std::exchange(next, next + size.points());
        kernels_on<kernels>(the_cpu).initialise(f, size, {0, 0, 0}, data::general, nullptr);
    }
    std::vector<float> values() const { return {data.data(), data.data() + data.size()}; }
};

class Pointers : public testing::TestWithParam<std::tuple<form, kernel>> {};

TEST_P(Pointers, AreLoadedFromTheStructInMemory) {
    parameters p;
    std::tie(p.form, p.kernel) = GetParam();
    p.size = size, p.iterations = 3, p.threads = 2;
    const memory::buffer<double> sums(memory::kind::pageable, gosa_scratch(size));
    arrays expected, computed, decoy;
    measure::trial plain, loaded;
    iterate(plain, p, expected.f, sums.data(), false, nullptr);

    const std::vector<float> untouched = decoy.values();
    const std::array<fields, 2> there = both_ways(computed.f);
    decoy.f.there[0] = &there[0], decoy.f.there[1] = &there[1];
    iterate(loaded, p, decoy.f, sums.data(), false, nullptr);
    EXPECT_EQ(computed.values(), expected.values());
    EXPECT_EQ(decoy.values(), untouched);
    EXPECT_EQ(loaded.series["gosa"], plain.series["gosa"]);
    EXPECT_GT(plain.series["gosa"].front(), 0);
    const bool swapped = p.form == form::fused;  // 3 iterations are an odd number
    EXPECT_EQ(decoy.f.there[0], &there[swapped ? 1 : 0]);
}

INSTANTIATE_TEST_SUITE_P(Himeno, Pointers,
                         testing::Combine(testing::Values(form::two_kernel, form::fused),
                                          testing::Values(kernel::shared, kernel::tuned)));

}  // namespace
}  // namespace watari::himeno
