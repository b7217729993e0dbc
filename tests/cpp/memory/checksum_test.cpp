// Checksums of tiles: the same on the CPU, on the GPU and in parts, and different for other
// elements or other places.
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/rows/rows.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace watari::memory {
namespace {

constexpr std::size_t count = 37, bytes = 1004, stride = 1040;  // the last word has 4 bytes

std::vector<std::byte> random_rows() {
    std::mt19937 random(7);
    std::vector<std::byte> data(count * stride);
    for (std::byte& each : data) each = static_cast<std::byte>(random());
    return data;
}

std::uint64_t checksum(const std::vector<std::byte>& data, std::size_t step = count) {
    std::uint64_t sum = 0;
    std::vector<std::byte> part = data;
    for (std::size_t first = 0; first < count; first += step) {
        std::vector<std::uint64_t> sums(count);
        const std::size_t here = std::min(step, count - first);
        kernels_on<row_kernels>(the_cpu).checksum(
            sums.data(), {part.data() + first * stride, stride}, here, bytes, first, nullptr);
        sum = std::accumulate(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(here), sum);
    }
    return sum;
}

TEST(Checksum, OfPartsAddsUp) {
    const auto data = random_rows();
    for (const std::size_t step : {1, 5, 36}) EXPECT_EQ(checksum(data, step), checksum(data));
}

TEST(Checksum, SeesEachElementAndItsPlace) {
    const auto data = random_rows();
    for (const std::size_t at :
         {std::size_t{0}, std::size_t{1003}, 20 * stride + 500, 36 * stride + 1000}) {
        auto other = data;
        other[at] ^= std::byte{1};
        EXPECT_NE(checksum(other), checksum(data)) << at;
    }
    auto swapped = data;
    std::swap_ranges(swapped.begin(), swapped.begin() + bytes, swapped.begin() + stride);
    EXPECT_NE(checksum(swapped), checksum(data));
    auto beside = data;
    beside[bytes] ^= std::byte{1};  // between the rows
    EXPECT_EQ(checksum(beside), checksum(data));
    EXPECT_NE(checksum(std::vector<std::byte>(count * stride)), 0u);
}

TEST(Checksum, OfAGpuIsTheCpus) {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    const auto data = random_rows();
    memory::buffer<std::byte> there(memory::kind::managed, data.size());
    memory::buffer<std::uint64_t> sums(memory::kind::pinned, count);
    std::memcpy(there.data(), data.data(), data.size());
    device::use(0);
    const device::stream stream;
    kernels_on<row_kernels>(gpu_number(0))
        .checksum(sums.data(), {there.data(), stride}, count, bytes, 0, stream.get());
    device::synchronize(stream.get());
    EXPECT_EQ(std::accumulate(sums.data(), sums.data() + count, std::uint64_t{0}), checksum(data));
}

}  // namespace
}  // namespace watari::memory
