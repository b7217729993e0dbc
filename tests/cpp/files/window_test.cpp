#include "watari/files/window.hpp"

#include "on_threads.hpp"
#include "watari/core/error.hpp"
#include "watari/files/descriptor.hpp"
#include "watari/files/file_state.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>
#include <cstring>
#include <filesystem>

namespace watari::files {

namespace {

constexpr std::size_t part_bytes = 3 * 4096;

class Window : public testing::Test {
protected:
    void SetUp() override {
        if (!window::suits("/dev/shm"))
            GTEST_SKIP() << "no file system in memory, or an old kernel";
    }
    void TearDown() override { unlink(path.c_str()); }

    const std::string path = "/dev/shm/watari-window-" + std::to_string(getpid());
};

/// Eight threads fill eight parts, the i-th one with the i-th letter.
void fill(const window& all, std::size_t bytes) {
    on_threads(8, [&](int i) {
        const auto at = static_cast<std::size_t>(i) * bytes;
        std::memset(all.part(at, bytes).data(), 'a' + i, bytes);
    });
}

TEST_F(Window, ThreadsFillARangeThatDoesNotBeginOnALargePage) {
    const descriptor file(path, O_RDWR | O_CREAT | O_CLOEXEC);
    const std::uint64_t at = 5 * 4096;
    ASSERT_EQ(pwrite(file.get(), "before", 6, 0), 6);
    fill(window(file.get(), path, at, 8 * part_bytes), part_bytes);
    const std::string bytes = bytes_of(file.get(), 0, at + 8 * part_bytes);
    ASSERT_EQ(bytes.size(), at + 8 * part_bytes);
    EXPECT_EQ(bytes.substr(0, 6), "before");
    for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(bytes.substr(at + i * part_bytes, part_bytes),
                  std::string(part_bytes, static_cast<char>('a' + i)));
}

TEST_F(Window, LargePagesKeepWhatIsThere) {
    constexpr std::size_t part = std::size_t{5} << 19, begin = 3 << 20;  // 20 MiB from 3 MiB on
    const descriptor file(path, O_RDWR | O_CREAT | O_CLOEXEC);
    const std::string before(begin, 'x');
    ASSERT_EQ(pwrite(file.get(), before.data(), begin, 0), static_cast<ssize_t>(begin));
    {
        const window all(file.get(), path, begin, 8 * part);
        ASSERT_GT(all.large_pages(), 1u);
        on_threads(all.large_pages(), [&](std::size_t page) { all.ask_for_large(page); });
        fill(all, part);
    }
    std::string expected = before;
    for (char letter = 'a'; letter < 'i'; ++letter) expected.append(part, letter);
    EXPECT_TRUE(bytes_of(file.get(), 0, expected.size()) == expected);
}

TEST(WindowSuits, NoDiskAndNoMissingFile) {
    EXPECT_FALSE(window::suits("/proc/self/status"));
    EXPECT_FALSE(window::suits("/no/such/file"));
}

TEST(WindowWithoutRoom, Throws) {
    if (!window::suits("/dev/shm")) GTEST_SKIP() << "no file system in memory, or an old kernel";
    const std::string folder = "/dev/shm/watari-small-" + std::to_string(getpid());
    std::filesystem::create_directory(folder);
    if (mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=256k") != 0) {
        std::filesystem::remove(folder);
        GTEST_SKIP() << "may not mount";
    }
    {
        const std::string path = folder + "/file";
        const descriptor file(path, O_RDWR | O_CREAT | O_CLOEXEC);
        const window all(file.get(), path, 0, std::size_t{1} << 20);
        all.ask_for_large(0);
        EXPECT_EQ(all.part(0, 4096).size(), 4096u);
        EXPECT_THROW(all.part(4096, (std::size_t{1} << 20) - 4096), file_error);
    }
    umount(folder.c_str());
    std::filesystem::remove(folder);
}

}  // namespace

}  // namespace watari::files
