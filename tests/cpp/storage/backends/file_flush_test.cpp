// A flush of a file reaches fdatasync, and a killed process loses no flushed data.
#include "folder.hpp"
#include "storage/blocks.hpp"
#include "storage/thread_commands.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "watari/files/uring/uring.hpp"
#include "watari/storage/backends/file.hpp"
#include "watari/storage/controller/controller.hpp"

namespace {
std::atomic<int> syncs{0};
}

/// Replaces libc's fdatasync: counts the calls, and does the same.
extern "C" int fdatasync(int file) {
    ++syncs;
    return static_cast<int>(syscall(SYS_fdatasync, file));
}

namespace watari::storage {
namespace {

using namespace watari::cpu;

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

/// fdatasync fails on this file: its error shows that a flush reached it.
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

/// A process killed at any moment: its flushed data are there, the file is whole and not in use.
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

}  // namespace
}  // namespace watari::storage
