// The file backend: by io_uring and by pread, direct and not, one file and several; and what can be
// wrong with a file.
#include "folder.hpp"
#include "storage/blocks.hpp"
#include "storage/thread_commands.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "watari/core/error.hpp"
#include "watari/files/disk.hpp"
#include "watari/files/uring.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/controller/controller.hpp"

namespace {
std::atomic<int> syncs{0};
}

/// In the place of libc's: counts, and does it.
extern "C" int fdatasync(int file) {
    ++syncs;
    return static_cast<int>(syscall(SYS_fdatasync, file));
}

namespace watari::storage {
namespace {

using namespace watari::cpu;

struct access_path {
    bool uring, direct;
    unsigned files;
};
std::string name(const testing::TestParamInfo<access_path>& info) {
    return std::string(info.param.uring ? "uring" : "pread") +
           (info.param.direct ? "_direct_" : "_cached_") + std::to_string(info.param.files);
}

void expect_ok(const status& s) {
    EXPECT_TRUE(s.ok()) << "status type " << int{s.sct} << ", code " << int{s.sc};
}

class File : public testing::TestWithParam<access_path> {
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
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::mt19937 random(t);
            const std::uint64_t own = view.blocks / 4, first = t * own;
            std::vector<std::uint64_t> version(own, 0);
            std::vector<std::byte> data(std::size_t{200} * 512 * sectors);
            for (std::uint64_t i = 1; i <= 60; ++i) {
                const std::uint64_t at = random() % own;
                const std::uint64_t count = std::min<std::uint64_t>(own - at, 1 + random() % 200);
                const auto each = [&](auto visit) {
                    for (std::uint64_t b = 0; b < count * sectors; ++b)
                        visit(&data[b * 512], (first + at) * sectors + b,
                              version[at + b / sectors]);
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
    for (std::thread& thread : threads) thread.join();
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
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = signal(SIGXFSZ, SIG_IGN);
    rlimit little = before;
    little.rlim_cur = 65536;
    setrlimit(RLIMIT_FSIZE, &little);
    const status outcome = write(device.view(), device.view().blocks - 1, 1, data.data(), false);
    const status other = write(device.view(), 0, 1, data.data(), false);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    EXPECT_EQ(outcome, capacity_exceeded);
    EXPECT_TRUE(other.ok());
}

INSTANTIATE_TEST_SUITE_P(Path, File,
                         testing::Values(access_path{true, true, 1}, access_path{true, true, 3},
                                         access_path{true, false, 1}, access_path{false, true, 1},
                                         access_path{false, true, 3}, access_path{false, false, 1}),
                         name);

TEST(FileFlush, ReachesFdatasync) {
    const directory folder;
    const files::file_options options{.paths = {folder.file("a", 65536), folder.file("b", 65536)},
                                      .writable = true,
                                      .cache = files::cache_state::cold,
                                      .stripe = 4096};
    controller device(make_file(options, false), {});
    EXPECT_NE(device.notice().find("pread"), std::string::npos);
    const int before = syncs;
    EXPECT_TRUE(flush(device.view()).ok());
    EXPECT_EQ(syncs, before + 2);
}

/// A file on which fdatasync fails: by its error one sees that a flush got there.
TEST(FileFlush, ReachesFdatasyncByUringToo) {
    if (!files::uring_absent_reason().empty()) GTEST_SKIP() << files::uring_absent_reason();
    const directory folder;
    files::file_options options{
        .paths = {folder.file("a", 65536)}, .writable = true, .cache = files::cache_state::cold};
    const files::striped_files files(options);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(dup2(ends[1], files.descriptor_of(0)), files.descriptor_of(0));  // EINVAL
    std::string notice;
    for (const bool uring : {false, true}) {
        error_log errors;
        const auto channel = uring ? open_uring_channel(files, true, {}, notice, errors)
                                   : open_pread_channel(files, true, errors);
        ASSERT_TRUE(channel->submit({0, 1, opcode::flush, false, 0, 0, {}}));
        std::vector<ending> ended;
        while (ended.empty()) channel->reap(ended);
        EXPECT_FALSE(ended[0].outcome.ok()) << uring;
        const std::string why = errors.about(opcode::flush, 0);
        EXPECT_NE(why.find("fdatasync of " + options.paths[0]), why.npos) << why;
        EXPECT_NE(why.find(std::strerror(EINVAL)), why.npos) << why;
    }
    close(ends[0]);
    close(ends[1]);
}

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
        // a file that is cut while in use has no zeros where it had data
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
    if (child == 0) {  // root may write everything, so as somebody else
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

/// A process that is killed at any moment: what it had flushed is there, the file is whole and
/// nobody holds it.
TEST(FileKill, LosesNothingThatWasFlushed) {
    const directory folder;
    const std::string file = folder.file("a", 1 << 20);
    const files::file_options options{
        .paths = {file}, .writable = true, .cache = files::cache_state::cold};
    for (int round = 0; round < 5; ++round) {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            controller device(make_file(options), {.queues = {.queues = 1, .depth = 8}});
            std::byte data[512];
            for (std::uint64_t version = 1;; ++version) {
                stamp(data, version % 2048, version);
                if (!write(device.view(), version % 2048, 1, data, false).ok()) _exit(1);
                if (!flush(device.view()).ok()) _exit(1);
                if (::write(ends[1], &version, 8) != 8) _exit(1);
            }
        }
        close(ends[1]);
        std::uint64_t version = 0, last = 0;
        const auto want = static_cast<std::uint64_t>(3 + 7 * round);
        while (last < want && ::read(ends[0], &version, 8) == 8) last = version;
        kill(child, SIGKILL);
        while (::read(ends[0], &version, 8) == 8) last = version;
        waitpid(child, nullptr, 0);
        close(ends[0]);
        ASSERT_GE(last, want);
        controller again(make_file(options), {.queues = {.queues = 1, .depth = 8}});
        EXPECT_EQ(again.view().blocks, 2048u);
        std::byte data[512];
        for (std::uint64_t v = 1; v <= last; ++v) {
            EXPECT_TRUE(read(again.view(), v % 2048, 1, data).ok());
            EXPECT_TRUE(is_stamped(data, v % 2048, v));
        }
    }
}

TEST(Disk, IsNotMemory) {
    struct stat file {};
    ASSERT_EQ(stat("/proc/version", &file), 0);
    EXPECT_EQ(files::disk_of("/proc/version"), file.st_dev);
    EXPECT_EQ(files::disk_of("/dev/shm"), std::nullopt);
    EXPECT_EQ(files::disk_of("/no/such/file"), std::nullopt);
}

}  // namespace
}  // namespace watari::storage
