// Byte ranges of files of several sizes, by every engine of files that this machine has.
#include "watari/storage/stores/range_files.hpp"
#include "folder.hpp"
#include "watari/core/error.hpp"

#include <gtest/gtest.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace watari::storage {
namespace {

class RangeFiles : public ::testing::TestWithParam<std::string> {
protected:
    RangeFiles() {
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            stored_.emplace_back(sizes_[i]);
            for (std::size_t k = 0; k < sizes_[i]; ++k)
                stored_[i][k] = static_cast<char>((k * 2654435761U + i) >> 7);
            paths_.push_back(folder_.path + "/" + std::to_string(i));
            std::ofstream(paths_[i], std::ios::binary)
                .write(stored_[i].data(), static_cast<std::streamsize>(sizes_[i]));
        }
    }

    /// Moves a block to or from the memory; skips a test whose engine this machine lacks.
    void move(const range_files& files, std::vector<byte_block> blocks) {
        try {
            files.move(blocks,
                       {.engine = GetParam(), .memory = {memory(), memory_.size()}, .threads = 3});
        } catch (const unsupported& reason) {
            skipped_ = reason.what();
        }
    }
    std::byte* memory() { return reinterpret_cast<std::byte*>(memory_.data()); }

    const directory folder_;
    std::vector<std::size_t> sizes_{12'345'678, 1, 5'000};
    std::vector<std::vector<char>> stored_;
    std::vector<std::string> paths_;
    std::vector<char> memory_ = std::vector<char>(13'000'000);
    std::string skipped_;
};

TEST_P(RangeFiles, ReadsRangesOfEachFile) {
    const range_files files(paths_);
    EXPECT_EQ(files.bytes(0), sizes_[0]);
    move(files, {{.file = 0, .offset = 3, .bytes = 12'000'001, .memory = memory() + 5},
                 {.file = 2, .offset = 4'999, .bytes = 1, .memory = memory()},
                 {.file = 1, .offset = 0, .bytes = 1, .memory = memory() + 1},
                 {.file = 2, .offset = 5'000, .bytes = 0, .memory = memory()}});
    if (!skipped_.empty()) GTEST_SKIP() << skipped_;
    EXPECT_EQ(std::memcmp(memory_.data() + 5, stored_[0].data() + 3, 12'000'001), 0);
    EXPECT_EQ(memory_[0], stored_[2][4'999]);
    EXPECT_EQ(memory_[1], stored_[1][0]);
}

TEST_P(RangeFiles, ScattersAndGathersParts) {
    constexpr std::size_t part = 700, parts = 5'000, stride = 1'001;  // above IOV_MAX parts
    const byte_block scattered{.file = 0,
                               .offset = 11,
                               .bytes = part * parts,
                               .parts = parts,
                               .stride = stride,
                               .memory = memory()};
    move(range_files(paths_), {scattered});
    if (!skipped_.empty()) GTEST_SKIP() << skipped_;
    for (std::size_t k = 0; k < parts; ++k)
        ASSERT_EQ(std::memcmp(memory_.data() + k * stride, stored_[0].data() + 11 + k * part, part),
                  0);
    for (std::size_t k = 0; k < parts; ++k) memory_[k * stride] = static_cast<char>(k);
    {
        const range_files files(paths_, files::direction::write);
        move(files, {scattered});
        files.sync();
    }
    std::ifstream written(paths_[0], std::ios::binary);
    for (std::size_t k = 0; k < parts; ++k) stored_[0][11 + k * part] = static_cast<char>(k);
    std::vector<char> all(sizes_[0]);
    written.read(all.data(), static_cast<std::streamsize>(all.size()));
    EXPECT_EQ(all, stored_[0]);
}

TEST_P(RangeFiles, RefusesBytesOutsideFileOrMemory) {
    const range_files files(paths_);
    EXPECT_THROW(move(files, {{.file = 2, .offset = 4'000, .bytes = 1'001, .memory = memory()}}),
                 file_error);
    EXPECT_THROW(move(files, {{.file = 3, .bytes = 1, .memory = memory()}}), usage_error);
    EXPECT_THROW(move(files, {{.bytes = 7, .parts = 2, .memory = memory()}}), usage_error);
    EXPECT_THROW(move(files, {{.bytes = 100, .memory = memory() + memory_.size() - 99}}),
                 usage_error);
}

TEST_P(RangeFiles, NoticesAFileThatChanged) {
    const range_files files(paths_);
    std::filesystem::resize_file(paths_[0], 1'000'000);
    EXPECT_THROW(move(files, {{.file = 0, .bytes = 12'000'000, .memory = memory()}}), file_error);
}

INSTANTIATE_TEST_SUITE_P(Engines, RangeFiles, ::testing::Values("posix", "uring", "mmap"));

TEST(RangeFilesOpen, TakesRegularFilesAndEnginesOfFiles) {
    EXPECT_THROW(range_files({"/"}), error);
    EXPECT_THROW(range_files({"/dev/null"}), file_error);
    EXPECT_THROW(range_files({"/no/such/file"}), error);
    const range_files itself({"/proc/self/exe"});
    std::vector<std::byte> memory(8);
    const byte_block block[] = {{.bytes = 8, .memory = memory.data()}};
    EXPECT_THROW(itself.move(block, {.engine = "queue", .memory = memory}), unsupported);
}

}  // namespace
}  // namespace watari::storage
