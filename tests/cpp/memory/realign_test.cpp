// Rows moved to the beginning of their slots, on each processor.
#include "watari/memory/rows/realign.hpp"
#include "processors.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace watari::memory {
namespace {

class GemmRealign : public testing::TestWithParam<processor> {};

TEST_P(GemmRealign, MovesEachRowAndNothingElse) {
    std::mt19937 random(3);
    const auto fours = [&](std::size_t below) { return random() % below / 4 * 4; };
    for (int round = 0; round < 200; ++round) {
        const std::size_t bytes = 4 + fours(round % 2 ? 9000 : 300), count = random() % 40;
        constexpr std::size_t unit = 512;
        const std::size_t stride = bytes + unit + fours(64);
        memory::buffer<unsigned char> data(shared_kind(GetParam()), count * stride + 1);
        for (std::size_t i = 0; i < count * stride; ++i)
            data.data()[i] = static_cast<unsigned char>(random());
        const skewed_rows rows{data.data(), count, bytes, stride, fours(unit), fours(unit), unit};
        const std::vector<unsigned char> before(data.data(), data.data() + count * stride);
        kernels_on<realign_kernels>(GetParam()).realign(rows, nullptr);
        if (GetParam().is_gpu()) device::synchronize(nullptr);
        for (std::size_t i = 0; i < count; ++i) {
            const unsigned char* was = before.data() + i * stride;
            const unsigned char* is = data.data() + i * stride;
            const std::size_t skip = (rows.skip + i * rows.skip_step) % 512;
            ASSERT_EQ(std::memcmp(is, was + skip, bytes), 0) << round << " row " << i;
            ASSERT_EQ(std::memcmp(is + bytes, was + bytes, stride - bytes), 0) << round;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Processors, GemmRealign, testing::ValuesIn(processors()), processor_name);

TEST(GemmRealignAbsent, AMissingGpuIsSaid) {
    if (device::count() > 0) GTEST_SKIP() << "there is a GPU";
    EXPECT_THROW(kernels_on<realign_kernels>(gpu_number(0)), unsupported);
}

}  // namespace
}  // namespace watari::memory
