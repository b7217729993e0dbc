// An array that the host reads and writes.
#include "watari/storage/cache/mapped.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "watari/core/error.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/controller/controller.hpp"

namespace watari {
namespace {

TEST(Mapped, IsReadAndWrittenByTheHost) {
    std::vector<double> memory(1 << 16), some(20000), back(20000);
    std::iota(some.begin(), some.end(), 0.5);
    storage::controller disk(storage::make_ram(std::as_writable_bytes(std::span(memory))), {});
    {
        cpu::mapped<double> data(disk.view(), {.bytes = 1 << 16});
        EXPECT_EQ(data.size(), memory.size());
        data.write(1001, some.size(), some.data());
        data.read(1001, back.size(), back.data());
        EXPECT_EQ(back, some);
        data.flush();
        EXPECT_TRUE(std::equal(some.begin(), some.end(), &memory[1001]));
        data.write(0, 1, &some[7], true);
        EXPECT_EQ(memory[0], some[7]);
        EXPECT_THROW(data.read(data.size() - 1, 2, back.data()), error);
        EXPECT_THROW(data.read((std::uint64_t{1} << 61) + 9, 1, back.data()), error);
        EXPECT_THROW(data.write((std::uint64_t{1} << 61) + 9, 1, back.data()), error);
        data.write(5, 1, &some[9]);
    }
    EXPECT_EQ(memory[5], some[9]) << "flushed at its end";
    EXPECT_THROW(cpu::mapped<double>(disk.view(), {.page_bytes = 100}), usage_error);
}

}  // namespace
}  // namespace watari
