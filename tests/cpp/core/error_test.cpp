// Numbers of bytes as errors write them.
#include "watari/core/error.hpp"

#include <gtest/gtest.h>

namespace watari {

TEST(BytesText, HasTheLargestUnitThatIsReached) {
    EXPECT_EQ(bytes_text(0), "0 B (0 bytes)");
    EXPECT_EQ(bytes_text(1023), "1023 B (1023 bytes)");
    EXPECT_EQ(bytes_text(1024), "1 KiB (1024 bytes)");
    EXPECT_EQ(bytes_text(std::size_t{3} << 40), "3 TiB (3298534883328 bytes)");
    EXPECT_EQ(bytes_text(std::size_t{1} << 50), "1024 TiB (1125899906842624 bytes)");
}

}  // namespace watari
