// The file backend: by io_uring and by pread, direct and not, one file and several; and errors of
// files.
#include "folder.hpp"
#include "on_threads.hpp"
#include "size_limit.hpp"
#include "storage/blocks.hpp"
#include "storage/thread_commands.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "watari/core/error.hpp"
#include "watari/files/uring/uring.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/controller/controller.hpp"

namespace watari::storage {
namespace {

using namespace watari::cpu;

struct file_path {
    bool uring, direct;
    unsigned files;
};
std::string name(const testing::TestParamInfo<file_path>& info) {
    return std::string(info.param.uring ? "uring" : "pread") +
           (info.param.direct ? "_direct_" : "_cached_") + std::to_string(info.param.files);
}

void expect_ok(const status& s) {
    EXPECT_TRUE(s.ok()) << "status type " << int{s.sct} << ", code " << int{s.sc};
}

class File : public testing::TestWithParam<file_path> {
protected:
    static constexpr std::size_t file_bytes = 1 << 20;
    directory folder;
    files::file_options options{
        .paths = {},
        .writable = true,
        .cache = GetParam().direct ? files::cache_state::none : files::cache_state::cold,
        .stripe = 16384};

    void SetUp() override {
        if (GetParam().uring && !files::uring_absent_reason().empty())
            GTEST_SKIP() << files::uring_absent_reason();
        for (unsigned f = 0; f < GetParam().files; ++f)
            options.paths.push_back(folder.file(std::to_string(f), file_bytes));
        try {
            const files::striped_files opened(options);
        } catch (const unsupported& e) {
            GTEST_SKIP() << e.what();
        }
    }
    std::shared_ptr<backend> store() { return make_file(options, GetParam().uring); }
    static controller_options small(std::uint32_t block_bytes) {
        return {.queues = {.queues = 2, .depth = 32, .max_transfer = 65536},
                .block_bytes = block_bytes,
                .threads = 2};
    }
    std::uint32_t block_bytes() {
        return std::max(512u, files::striped_files(options).alignment());
    }
};

TEST_P(File, HoldsWhatManyThreadsWrote) {
    controller device(store(), small(block_bytes()));
    const namespace_view view = device.view();
    const std::uint32_t sectors = view.block_bytes / 512;
    EXPECT_EQ(view.blocks * view.block_bytes, GetParam().files * file_bytes);
    std::atomic<unsigned> wrong{0};
    on_threads(4u, [&](unsigned t) {
        std::mt19937 random(t);
        const std::uint64_t own = view.blocks / 4, first = t * own;
        std::vector<std::uint64_t> version(own, 0);
        std::vector<std::byte> data(std::size_t{200} * 512 * sectors);
        for (std::uint64_t i = 1; i <= 60; ++i) {
            const std::uint64_t at = random() % own;
            const std::uint64_t count = std::min<std::uint64_t>(own - at, 1 + random() % 200);
            const auto each = [&](auto visit) {
                for (std::uint64_t b = 0; b < count * sectors; ++b)
                    visit(&data[b * 512], (first + at) * sectors + b, version[at + b / sectors]);
            };
            if (i % 2) {
                for (std::uint64_t b = at; b < at + count; ++b) version[b] = i;
                each([](std::byte* block, auto n, auto v) { stamp(block, n, v); });
                expect_ok(write(view, first + at, count, data.data(), i % 3 == 0));
            } else {
                expect_ok(read(view, first + at, count, data.data()));
                each([&](std::byte* block, auto n, auto v) {
                    wrong += v > 0 && !is_stamped(block, n, v);
                });
            }
        }
        expect_ok(flush(view));
    });
    EXPECT_EQ(wrong, 0u) << device.notice();
}

TEST_P(File, EndsWhereItsFilesEnd) {
    controller device(store(), small(block_bytes()));
    std::vector<std::byte> data(65536);
    EXPECT_EQ(read(device.view(), device.view().blocks, 1, data.data()), lba_out_of_range);
    EXPECT_TRUE(read(device.view(), device.view().blocks - 1, 1, data.data()).ok());
}

TEST_P(File, ThatIsCutShortWhileInUseIsAReadError) {
    controller device(store(), small(block_bytes()));
    const namespace_view view = device.view();
    std::vector<std::byte> data(65536);
    std::filesystem::resize_file(options.paths[0], 100000);  // in the middle of a block
    const std::uint64_t block = 98304 * GetParam().files / view.block_bytes;
    EXPECT_EQ(read(view, block, 16384 / view.block_bytes, data.data()), unrecovered_read);
    EXPECT_EQ(
        read(view, (file_bytes - 65536) * GetParam().files / view.block_bytes, 1, data.data()),
        unrecovered_read);
    EXPECT_TRUE(read(view, 0, 1, data.data()).ok());
}

TEST_P(File, OpenedForReadingRefusesWrites) {
    options.writable = false;
    controller device(store(), small(block_bytes()));
    std::vector<std::byte> data(65536);
    EXPECT_EQ(write(device.view(), 0, 1, data.data(), false), write_protected);
    EXPECT_TRUE(read(device.view(), 0, 1, data.data()).ok());
}

TEST_P(File, BeyondTheLimitOfAFilesSizeIsCapacityExceeded) {
    controller device(store(), small(block_bytes()));
    std::vector<std::byte> data(65536);
    const size_limit limit(65536);
    EXPECT_EQ(write(device.view(), device.view().blocks - 1, 1, data.data(), false),
              capacity_exceeded);
    EXPECT_TRUE(write(device.view(), 0, 1, data.data(), false).ok());
}

INSTANTIATE_TEST_SUITE_P(Path, File,
                         testing::Values(file_path{true, true, 1}, file_path{true, true, 3},
                                         file_path{true, false, 1}, file_path{false, true, 1},
                                         file_path{false, true, 3}, file_path{false, false, 1}),
                         name);

TEST(FileOpen, SaysWhatIsWrong) {
    const directory folder;
    EXPECT_THROW(make_file({.paths = {}}), usage_error);
    EXPECT_THROW(make_file({.paths = {folder.path + "/none"}}), system_error);
    EXPECT_THROW(make_file({.paths = {folder.path}, .writable = true}), system_error);
    const std::string file = folder.file("a", 65536);
    EXPECT_THROW(make_file({.paths = {file}, .stripe = 1000}), usage_error);
    const std::string tiny = folder.file("tiny", 100);
    EXPECT_THROW(controller(make_file({.paths = {tiny}, .cache = files::cache_state::cold}), {}),
                 usage_error);
}

TEST(FileOpen, MayBeFollowedByZeros) {
    const directory folder;
    for (const bool uring : {true, false}) {
        const std::string file = folder.path + "/ragged" + std::to_string(uring);
        std::ofstream(file) << std::string(1300, 'x');
        const controller padded(
            make_file({.paths = {file}, .cache = files::cache_state::cold, .padded = true}, uring),
            {});
        std::vector<std::byte> found(1536, std::byte{7});
        EXPECT_TRUE(cpu::read(padded.view(), 0, 3, found.data()).ok());
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_EQ(static_cast<char>(found[i]), i < 1300 ? 'x' : '\0') << i;
        // after a truncation in use, reads of the lost data fail; they do not return zeros
        ASSERT_EQ(truncate(file.c_str(), 600), 0);
        EXPECT_FALSE(cpu::read(padded.view(), 0, 3, found.data()).ok());
    }
    const std::string file = folder.file("whole", 4096);
    EXPECT_THROW(make_file({.paths = {file}, .writable = true, .padded = true}), usage_error);
}

TEST(FileOpen, WithoutPermissionSaysSo) {
    const directory folder;
    const std::string file = folder.file("a", 65536);
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    const pid_t child = fork();
    if (child == 0) {  // as another user: root may write everything
        std::filesystem::permissions(folder.path, std::filesystem::perms::all);
        if (geteuid() == 0 && setuid(65534) != 0) _exit(3);
        try {
            make_file({.paths = {file}, .writable = true});
            _exit(1);
        } catch (const system_error& e) {
            _exit(std::string(e.what()).find("ermission denied") != std::string::npos ? 0 : 2);
        }
    }
    int result = 0;
    waitpid(child, &result, 0);
    EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace watari::storage
