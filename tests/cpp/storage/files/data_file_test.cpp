// Files of test data: whole or absent, reused, in use, removed to make room.
#include "watari/storage/files/data_file.hpp"
#include "folder.hpp"
#include "watari/storage/files/test_data.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace watari::storage {
namespace {

constexpr std::uint64_t size = 1 << 20;

data_file find(const std::string& path, usage how = usage::shared) {
    return open_data_file(path, size, how, [&](int file) { write_seal(file, path); });
}

TEST(DataFile, IsMadeOnceAndFoundByNameAndSize) {
    const directory folder;
    const std::string path = folder.path + "/watari-1.data";
    EXPECT_THROW(open_data_file(path, size, usage::shared, [](int) { throw usage_error("no"); }),
                 usage_error);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path));
    EXPECT_TRUE(find(path).made);
    EXPECT_EQ(std::filesystem::file_size(path), size);
    EXPECT_FALSE(open_data_file(path, size, usage::shared, [](int) { FAIL(); }).made);
    std::filesystem::resize_file(path, 1000);
    EXPECT_TRUE(find(path).made);
    std::filesystem::remove(path);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

TEST(DataFile, IsSharedOrUsedAlone) {
    const directory folder;
    const std::string path = folder.path + "/watari-gemm-1x2x3-single-rows-512.data";
    {
        const data_file first = find(path), second = find(path);
        EXPECT_THROW(find(path, usage::alone), error);
    }
    const data_file alone = find(path, usage::alone);
    EXPECT_THROW(find(path, usage::alone), error);
    EXPECT_THROW(find(path), error);
}

TEST(DataFile, LeavesForOthersUnlessItIsInUseTheOldestFirst) {
    const directory folder;
    const auto path = [&](const std::string& name) { return folder.path + "/" + name; };
    const std::string names[] = {"watari-3-1of2.data", "watari-gemm-2x2x2-double-tiled-128.data",
                                 "watari-1.data"};
    for (int age = 0; age < 3; ++age) {
        open_data_file(path(names[age]), size, usage::shared, [&](int file) {
            const std::vector<char> data(size, 'x');
            EXPECT_EQ(::write(file, data.data(), size), static_cast<ssize_t>(size));
            write_seal(file, names[age]);
        });
        const auto now = std::filesystem::file_time_type::clock::now();
        std::filesystem::last_write_time(path(names[age]), now - std::chrono::hours(3 - age));
    }
    const char* others[] = {"mine.data", "watari-2.data", "watari-1.json",
                            "watari-gemm-1x1x1-single-rows-512.data"};
    for (const char* other : others) folder.file(other, size);
    std::filesystem::create_directory(path("watari-4.data"));
    std::filesystem::create_symlink(path("mine.data"), path("watari-5.data"));
    const auto there = [&](const std::string& name) { return std::filesystem::exists(path(name)); };

    const data_file in_use = find(path(names[0]));
    EXPECT_EQ(remove_unused(folder.path, 2 * size + 100'000), 0u) << "that much is not to be had";
    EXPECT_TRUE(there(names[1]) && there(names[2]));
    const std::uint64_t room = remove_unused(folder.path, 1);
    EXPECT_GE(room, size);
    EXPECT_LT(room, size + 100'000);
    EXPECT_TRUE(there(names[0]) && !there(names[1]) && there(names[2]));
    EXPECT_GE(remove_unused(folder.path, size), size);
    EXPECT_TRUE(there(names[0]) && !there(names[2]));
    EXPECT_EQ(remove_unused(folder.path, 1), 0u);
    for (const char* other : others) EXPECT_TRUE(there(other)) << other;
    EXPECT_TRUE(there("watari-4.data") && there("watari-5.data"));
}

TEST(DataFile, IsNotMadeInPlaceOfWhatIsNotOurs) {
    const directory folder;
    const std::string path = folder.path + "/watari-1.data", mine = folder.file("mine", size);
    const auto refused = [&](usage how) {
        EXPECT_THROW(find(path, how), file_error);
        EXPECT_TRUE(std::filesystem::exists(std::filesystem::symlink_status(path)));
        EXPECT_EQ(std::filesystem::file_size(mine), size);
        std::filesystem::remove(path);
    };
    for (const usage how : {usage::shared, usage::alone}) {
        std::filesystem::create_symlink(mine, path);
        refused(how);
        std::filesystem::create_symlink("nowhere", path);
        refused(how);
        std::filesystem::create_directory(path);
        refused(how);
        ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
        refused(how);
        folder.file("watari-1.data", size + 1);
        refused(how);
    }
    folder.file("watari-1.data", size);
    EXPECT_FALSE(find(path, usage::shared).made) << "reading harms nothing";
    refused(usage::alone);
    std::filesystem::create_hard_link(mine, path);
    refused(usage::alone);
}

TEST(DataFile, IsTheOneInUseWhoeverHasItsNameNow) {
    const directory folder;
    const std::string path = folder.path + "/watari-1.data";
    const data_file mine = find(path);
    EXPECT_NO_THROW(
        files::require_same_file(files::descriptor(path, O_RDONLY).get(), mine.file.get(), path));
    std::filesystem::remove(path);
    folder.file("watari-1.data", size);
    const files::descriptor other(path, O_RDONLY);
    EXPECT_THROW(files::require_same_file(other.get(), mine.file.get(), path), file_error);
    EXPECT_NO_THROW(files::require_same_file(other.get(), -1, path));
}

/// A process killed while it makes a file leaves nothing, if the kernel has unnamed files.
TEST(DataFile, IsNotHalfMadeByWhoIsKilled) {
    const directory folder;
    const int nameless = open(folder.path.c_str(), O_TMPFILE | O_RDWR, 0644);
    if (nameless < 0) GTEST_SKIP() << "no files without a name in " << folder.path;
    close(nameless);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const std::string path = folder.path + "/watari-1.data";
    const pid_t child = fork();
    if (child == 0) {
        open_data_file(path, 1 << 20, usage::shared, [&](int file) {
            if (::write(file, "half", 4) != 4 || ::write(ends[1], "x", 1) != 1) _exit(1);
            ::pause();
        });
        _exit(1);
    }
    char half = 0;
    ASSERT_EQ(::read(ends[0], &half, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path));
    EXPECT_TRUE(find(path).made);
}

}  // namespace
}  // namespace watari::storage
