// Watari's files are identified by their content: sectors or seals. All other files are not.
#include "watari/storage/files/test_data.hpp"
#include "folder.hpp"

#include "watari/files/descriptor.hpp"
#include "watari/storage/verify/sector.hpp"

#include <array>

namespace watari::storage {
namespace {

constexpr std::uint64_t sectors = 64;

struct folder_of_one : directory {
    std::string path = file("watari-1.data", 0);
    files::descriptor open{path, O_RDWR};

    void write(std::uint64_t number, std::uint64_t address) const {
        std::array<std::uint64_t, sector_words> words;
        cpu::write_sector(words.data(), address, 5);
        EXPECT_EQ(pwrite(open.get(), words.data(), sector_bytes,
                         static_cast<off_t>(number * sector_bytes)),
                  static_cast<ssize_t>(sector_bytes));
    }
    void write_all(std::uint64_t first_address) const {
        for (std::uint64_t i = 0; i < sectors; ++i) write(i, first_address + i);
    }
    void spoil(std::uint64_t byte) const { EXPECT_EQ(pwrite(open.get(), "?!", 2, off_t(byte)), 2); }
    bool is_ours(std::uint64_t bytes = sectors * sector_bytes) const {
        return is_test_data(open.get(), bytes, path);
    }
};

TEST(TestData, IsWholeSectorsWhereverTheyBelong) {
    const folder_of_one here;
    EXPECT_TRUE(here.is_ours(0)) << "an empty file holds nothing";
    for (const std::uint64_t first : {0u, 2048u}) {
        here.write_all(first);
        EXPECT_TRUE(here.is_ours());
        EXPECT_TRUE(here.is_ours(sector_bytes + 100)) << "cut by somebody";
        EXPECT_FALSE(here.is_ours(sector_bytes - 1));
    }
}

TEST(TestData, IsLookedAtFromTheFirstSectorToTheLast) {
    for (const std::uint64_t number : {std::uint64_t{0}, sectors - 1}) {
        const folder_of_one here;
        here.write_all(0);
        here.spoil(number * sector_bytes + 100);
        EXPECT_FALSE(here.is_ours()) << number;
        EXPECT_FALSE(is_foreign(here.open.get(), sectors * sector_bytes, here.path)) << number;
    }
    const folder_of_one here;
    here.write_all(0);
    for (std::uint64_t i = sectors / 4; i < sectors / 2; ++i) here.spoil(i * sector_bytes + 8);
    EXPECT_FALSE(here.is_ours()) << "a quarter of it is others'";
}

TEST(TestData, IsNeitherZerosNorAnythingElse) {
    const directory folder;
    for (const char* name : {"zeros", "ones"}) {
        const std::string path = folder.file(name, sectors * sector_bytes);
        const files::descriptor open(path, O_RDWR);
        const std::vector<char> ones(sectors * sector_bytes, '\xff');
        if (name[0] == 'o') {
            EXPECT_EQ(pwrite(open.get(), ones.data(), ones.size(), 0),
                      static_cast<ssize_t>(ones.size()));
        }
        EXPECT_FALSE(is_test_data(open.get(), sectors * sector_bytes, path)) << name;
        EXPECT_TRUE(is_foreign(open.get(), sectors * sector_bytes, path)) << name;
    }
}

TEST(TestData, IsWhatASealBegins) {
    const folder_of_one here;
    here.spoil(seal_bytes);
    write_seal(here.open.get(), here.path);
    EXPECT_TRUE(here.is_ours(seal_bytes + 2));
    here.spoil(40);
    EXPECT_FALSE(here.is_ours(seal_bytes + 2));
}

TEST(TestData, OfAFileThatCannotBeReadIsUnknown) {
    const folder_of_one here;
    EXPECT_THROW(here.is_ours(), error);
}

}  // namespace
}  // namespace watari::storage
