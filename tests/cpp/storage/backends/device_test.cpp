// The file backend on block devices: loop devices, if this process may attach them.
#include "folder.hpp"
#include "storage/blocks.hpp"
#include "storage/thread_commands.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "watari/files/descriptor.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/files/uring/uring.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/controller/controller.hpp"

namespace watari::storage {
namespace {

using namespace watari::cpu;

/// A loop device over a file. The path is empty if none can be attached.
class loop_device {
public:
    loop_device(const std::string& file, unsigned sector) {
        const std::string command = "losetup --find --show --sector-size " +
                                    std::to_string(sector) + " " + file + " 2>/dev/null";
        if (FILE* output = popen(command.c_str(), "r")) {
            char line[64] = {};
            if (fgets(line, sizeof line, output)) path_ = line;
            pclose(output);
        }
        if (!path_.empty()) path_.pop_back();
    }
    ~loop_device() {
        if (path_.empty()) return;
        EXPECT_EQ(std::system(("losetup --detach " + path_).c_str()), 0);
    }
    loop_device(const loop_device&) = delete;
    loop_device& operator=(const loop_device&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

struct device_path {
    bool uring;
    unsigned sector;
};

class Device : public testing::TestWithParam<device_path> {};

TEST_P(Device, HoldsWhatWasWrittenInItsOwnUnits) {
    if (GetParam().uring && !files::uring_absent_reason().empty())
        GTEST_SKIP() << files::uring_absent_reason();
    constexpr std::size_t bytes = 4 << 20, many = 32768;
    const directory folder;
    const std::string file = folder.file("disk", bytes);
    const loop_device disk(file, GetParam().sector);
    if (disk.path().empty()) GTEST_SKIP() << "no loop device can be attached here";
    EXPECT_EQ(files::direct_unit_of(disk.path()), GetParam().sector);
    const std::size_t unit = GetParam().sector / 512;  // 512-byte sectors in a block
    {
        const controller served(
            make_file({.paths = {disk.path()}, .writable = true}, GetParam().uring),
            {.queues = {.queues = 1, .depth = 8, .max_transfer = many},
             .block_bytes = GetParam().sector});
        const namespace_view view = served.view();
        EXPECT_EQ(view.blocks * view.block_bytes, bytes);
        std::vector<std::byte> data(many);
        const std::size_t at_once = many / view.block_bytes;
        for (std::uint64_t first = 0; first < view.blocks; first += at_once) {
            stamp_run(data.data(), first * unit, many / 512, 7);
            ASSERT_TRUE(write(view, first, at_once, data.data(), false).ok());
        }
        EXPECT_TRUE(flush(view).ok());
        for (std::uint64_t b = 0; b < view.blocks; b += 13) {
            ASSERT_TRUE(read(view, b, 1, data.data()).ok());
            EXPECT_TRUE(is_stamped_run(data.data(), b * unit, unit, 7));
        }
        EXPECT_EQ(read(view, view.blocks, 1, data.data()), lba_out_of_range);
    }
    if (unit > 1) {
        const controller_options smaller{.queues = {}, .block_bytes = 512};
        EXPECT_THROW(controller(make_file({.paths = {disk.path()}}), smaller), usage_error);
    }
    // a flush reached the file below the device
    std::vector<std::byte> sector(512);
    const files::descriptor under(file, O_RDONLY);
    ASSERT_EQ(pread(under.get(), sector.data(), 512, bytes - 512), 512);
    EXPECT_TRUE(is_stamped(sector.data(), bytes / 512 - 1, 7));
}

INSTANTIATE_TEST_SUITE_P(Path, Device,
                         testing::Values(device_path{true, 512}, device_path{true, 4096},
                                         device_path{false, 512}, device_path{false, 4096}),
                         [](const auto& info) {
                             return std::string(info.param.uring ? "uring_" : "pread_") +
                                    std::to_string(info.param.sector);
                         });

}  // namespace
}  // namespace watari::storage
