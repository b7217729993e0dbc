#include "watari/files/partial/partial_file.hpp"

#include "file_content.hpp"
#include "folder.hpp"
#include "watari/core/error.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace watari::files {
namespace {

constexpr std::uint64_t size = 5 * 4096;
const std::string header(4096, 'h'), data(size - header.size(), 'd');

/// Other processes change the file through its name.
class PartialFile : public testing::Test {
protected:
    PartialFile() {
        file.allocate(size, header, true);
        write();
    }
    void write() const {
        EXPECT_EQ(pwrite(file.get(), data.data(), data.size(), 4096),
                  static_cast<ssize_t>(data.size()));
    }
    /// Counts the calls, and compares the content with what was written.
    bool read_back() {
        ++passes;
        if (bytes_of(file.get(), 0, size) != header + data) throw file_error("is damaged");
        return true;
    }
    void verify_and_put_in_place() {
        file.verify([&] { return read_back(); });
        file.put_in_place();
    }

    const storage::directory folder;
    const std::string output = folder.path + "/output", path = partial_path(output);
    partial_file file{output};
    int passes = 0;
};

TEST_F(PartialFile, IsReadBackOnceAndRenamed) {
    verify_and_put_in_place();
    EXPECT_EQ(passes, 1);
    EXPECT_FALSE(is_there(path));
    EXPECT_EQ(bytes_of(descriptor(output, O_RDONLY).get(), 0, size), header + data);
}

/// The cut leaves no trace: size, header and allocated blocks are right again.
TEST_F(PartialFile, CutAndFilledAgainIsNotPutInPlace) {
    struct stat before {
    }, after{};
    file.sync();
    ASSERT_EQ(fstat(file.get(), &before), 0);
    ASSERT_EQ(truncate(path.c_str(), 4096), 0);
    for (std::uint64_t at = 4096; at < size; at += 4096) overwrite(path, at + 4000, "some");
    overwrite(path, size - 1, "d");
    file.sync();
    ASSERT_EQ(fstat(file.get(), &after), 0);
    ASSERT_EQ(after.st_blocks, before.st_blocks);
    ASSERT_EQ(file.damage(), "");
    EXPECT_THROW(verify_and_put_in_place(), file_error);
    EXPECT_FALSE(is_there(output));
}

TEST_F(PartialFile, CutBetweenTheLastWriteAndTheEndIsNotPutInPlace) {
    ASSERT_EQ(truncate(path.c_str(), 8192), 0);
    EXPECT_EQ(file.damage(), "is 8192 bytes long, not 20480");
    EXPECT_THROW(verify_and_put_in_place(), file_error);
    EXPECT_FALSE(is_there(output));
}

/// A change behind the reader, or one that ends before the reader comes there.
TEST_F(PartialFile, ChangedWhileItIsReadBackIsReadBackAgain) {
    EXPECT_THROW(file.verify([&] {
        const bool whole = read_back();
        if (passes == 1) overwrite(path, 5000, "x");
        return whole;
    }),
                 file_error);
    EXPECT_EQ(passes, 2);
    write();
    passes = 0;
    EXPECT_TRUE(file.verify([&] {
        if (passes == 0) overwrite(path, 5000, "d");
        return read_back();
    }));
    EXPECT_EQ(passes, 2);
}

/// A process that sets the time of change back cannot set ctime.
TEST_F(PartialFile, ChangedUnderItsOldTimesIsReadBackAgain) {
    file.verify([&] {
        struct stat before {};
        stat(path.c_str(), &before);
        if (++passes > 1) return true;
        overwrite(path, 5000, "x");
        const timespec times[] = {before.st_atim, before.st_mtim};
        return utimensat(AT_FDCWD, path.c_str(), times, 0) == 0;
    });
    EXPECT_EQ(passes, 2);
}

TEST_F(PartialFile, ThatChangesAgainAndAgainIsRefused) {
    EXPECT_THROW(file.verify([&] {
        overwrite(path, 5000, "d");
        return read_back();
    }),
                 file_error);
    EXPECT_EQ(passes, 3);
}

TEST_F(PartialFile, StoppedWhileItIsReadBackIsNotVerified) {
    EXPECT_FALSE(file.verify([] { return false; }));
}

TEST_F(PartialFile, ReplacedIsNotPutInPlace) {
    const std::string other = folder.file("other", 10);
    ASSERT_EQ(rename(other.c_str(), path.c_str()), 0);
    EXPECT_THROW(file.put_in_place(), file_error);
    EXPECT_FALSE(is_there(output));
    EXPECT_TRUE(is_there(path));
}

}  // namespace
}  // namespace watari::files
