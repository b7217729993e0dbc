#include "watari/files/disk.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>

namespace watari::files {
namespace {

TEST(Disk, IsNotMemory) {
    struct stat file {};
    ASSERT_EQ(stat("/proc/version", &file), 0);
    EXPECT_EQ(disk_of("/proc/version"), file.st_dev);
    EXPECT_EQ(disk_of("/dev/shm"), std::nullopt);
    EXPECT_EQ(disk_of("/no/such/file"), std::nullopt);
}

}  // namespace
}  // namespace watari::files
