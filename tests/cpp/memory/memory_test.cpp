// Memory of the CPU: allocation, limits, placement, residency. tests/python/memory/test_memory.py
// tests every kind of memory, also those that need a GPU.
#include <gtest/gtest.h>

#include <cstring>

#include "errors.hpp"
#include "watari/core/device.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/hint.hpp"
#include "watari/memory/host.hpp"
#include "watari/memory/residency.hpp"
#include "watari/memory/room.hpp"

namespace watari::memory {
namespace {

constexpr std::size_t mebibyte = 1 << 20;
constexpr std::size_t too_much = std::size_t{1} << 50;

TEST(Kinds, AreFoundByNameInTheOrderOfTheEnumeration) {
    for (std::size_t i = 0; i < kinds().size(); ++i) {
        EXPECT_EQ(kinds()[i].kind, static_cast<kind>(i));
        EXPECT_EQ(row(kinds()[i].name).kind, kinds()[i].kind);
    }
    EXPECT_THROW(row("pinnned"), usage_error);
}

TEST(Kinds, SayWhyTheyAreNotHere) {
    if (device::count() > 0) GTEST_SKIP() << "there is a GPU";
    for (const kind k : {kind::pinned, kind::device, kind::managed, kind::system}) {
        EXPECT_EQ(row(k).unsupported(0), device::absent_reason());
        EXPECT_THROW(buffer<double>(k, 8), unsupported);
    }
}

TEST(Buffer, MovesItsMemory) {
    buffer<int> one(kind::pageable, 1000);
    int* data = one.data();
    buffer<int> other(std::move(one));
    EXPECT_EQ(other.data(), data);
    other = buffer<int>(kind::pageable, 10);
    EXPECT_EQ(other.size(), 10u);
}

TEST(Buffer, BeyondMemoryNamesBothNumbers) {
    try {
        buffer<char>(kind::pageable, too_much);
        FAIL() << "a pebibyte";
    } catch (const beyond_memory& e) {
        EXPECT_EQ(e.requested, too_much);
        EXPECT_NE(std::string(e.what()).find(std::to_string(too_much)), std::string::npos);
        EXPECT_NE(std::string(e.what()).find(std::to_string(e.available)), std::string::npos);
    }
}

TEST(Buffer, OfNothingIsNotMeant) { EXPECT_THROW(buffer<char>(kind::pageable, 0), usage_error); }

TEST(Room, CountsAllArraysTogether) {
    const std::size_t half = host::available() / 2 + 64 * mebibyte;
    const demand one[] = {{kind::pageable, half, {}}};
    const demand two[] = {{kind::pageable, half, {}}, {kind::pageable, half, {}}};
    EXPECT_NO_THROW(require_room(one));
    EXPECT_THROW(require_room(two), beyond_memory);
    const demand lifted[] = {{kind::pageable, too_much, {.oversubscribe = true}}};
    EXPECT_NO_THROW(require_room(lifted));
}

TEST(Host, TakesHugePagesWhereTheyAreAskedForAndNoneWhereTheyAreRefused) {
    for (const huge_pages thp : {huge_pages::as_set, huge_pages::always, huge_pages::never}) {
        const buffer<char> data(kind::pageable, 8 * mebibyte + 5, {.thp = thp});
        std::memset(data.data(), 1, data.size());
    }
}

std::string refused(std::size_t bytes, const placement& how) {
    return message_of<unsupported>([&] { buffer<char>(kind::pageable, bytes, how); });
}

TEST(Pool, NamesTheCureWhereItHasTooFewPages) {
    const std::string text = refused(too_much, {.page = 2 * mebibyte});
    if (text.find("no pool") != text.npos) GTEST_SKIP() << text;
    EXPECT_NE(text.find("free pages of 2 MiB, and 536870912 are needed"), text.npos) << text;
    EXPECT_NE(text.find("hugepages-2048kB/nr_hugepages"), text.npos) << text;
    EXPECT_NE(refused(mebibyte, {.page = 8192}).find("no pool of pages of 8 KiB"), text.npos);
}

TEST(Pool, IsAskedForAllArraysTogetherAndNotForThoseOfADriver) {
    const placement how{.page = 2 * mebibyte};
    const demand much[] = {{kind::pageable, too_much, how}, {kind::pageable, 1, how}};
    const std::string text = message_of<unsupported>([&] { require_room(much); });
    if (text.find("no pool") != text.npos) GTEST_SKIP() << text;
    EXPECT_NE(text.find("and 536870913 are"), text.npos) << text;
    EXPECT_FALSE(row(kind::managed).placed || row(kind::device).placed);
}

TEST(Pool, GivesItsPagesAndTakesThemBack) {
    const placement how{.page = 2 * mebibyte};
    if (const std::string text = refused(5 * mebibyte, how); !text.empty()) GTEST_SKIP() << text;
    for (int again = 0; again < 3; ++again) {
        const buffer<char> data(kind::pageable, 5 * mebibyte, how);
        std::memset(data.data(), 1, mebibyte);
        EXPECT_EQ(cpu_mapped_fraction(data.data(), 2 * mebibyte), 1.0);  // one page: all of it
        EXPECT_EQ(cpu_mapped_fraction(data.data() + 2 * mebibyte, 3 * mebibyte), 0.0);
    }
    host::require_pool(3, how);  // the pages are free again
}

TEST(Host, GivesFreshPagesEveryTime) {
    for (const std::size_t size : {std::size_t{8}, mebibyte, 24 * mebibyte})
        for (int again = 0; again < 3; ++again) {
            const buffer<char> data(kind::pageable, size);
            EXPECT_EQ(cpu_mapped_fraction(data.data(), size), 0.0) << size;
            std::memset(data.data(), 1, size);
        }
}

TEST(Host, BindsToANodeThatExistsAndRefusesOneThatDoesNot) {
    try {
        const buffer<char> data(kind::pageable, mebibyte, {.numa_node = 0});
        std::memset(data.data(), 1, data.size());
    } catch (const unsupported&) {
        GTEST_SKIP() << "mbind is not allowed here";
    }
    EXPECT_THROW(buffer<char>(kind::pageable, mebibyte, {.numa_node = 999}), unsupported);
}

TEST(Residency, TellsTouchedPagesFromUntouchedOnes) {
    const buffer<char> data(kind::pageable, 4 * mebibyte, {.thp = huge_pages::never});
    EXPECT_EQ(cpu_mapped_fraction(data.data(), data.size()), 0.0);
    std::memset(data.data(), 1, mebibyte);
    EXPECT_EQ(cpu_mapped_fraction(data.data(), data.size()), 0.25);
    const residency seen = locate(data.block(), true);
    EXPECT_EQ(seen.cpu + seen.gpu + seen.untold, data.size());
    if (seen.nodes.empty()) GTEST_SKIP() << "move_pages is not allowed here";
    EXPECT_EQ(seen.cpu, mebibyte);
    EXPECT_EQ(seen.untold, 3 * mebibyte);
}

TEST(Residency, TellsTheTouchedPartsOfABlock) {
    const buffer<char> data(kind::pageable, 4 * mebibyte + 1, {.thp = huge_pages::never});
    std::memset(data.data() + mebibyte, 1, mebibyte);
    const std::vector<residency> parts = locate_parts(data.block(), true, 4);
    ASSERT_EQ(parts.size(), 4u);
    std::size_t bytes = 0;
    for (const residency& part : parts) bytes += part.bytes;
    EXPECT_EQ(bytes, data.size());
    EXPECT_EQ(locate_parts(data.block(), true, 0).size(), 1u);
    EXPECT_EQ(locate_parts(data.block(), true, 1 << 20).size(),
              4 * mebibyte / host::page_size() + 1);
    if (parts[1].nodes.empty()) GTEST_SKIP() << "move_pages is not allowed here";
    EXPECT_EQ(parts[0].cpu, 0u);
    EXPECT_EQ(parts[1].cpu, parts[1].bytes);
    EXPECT_EQ(parts[1].bytes, mebibyte);
    EXPECT_EQ(parts[2].untold, parts[2].bytes);
}

TEST(Residency, CoversARangeThatEndsInsideAPage) {
    const buffer<char> data(kind::pageable, host::page_size() + 1);
    std::memset(data.data(), 1, data.size());
    EXPECT_EQ(cpu_mapped_fraction(data.data(), data.size()), 1.0);
    EXPECT_EQ(locate(data.block(), true).bytes, data.size());
}

TEST(Hint, IsFoundByName) {
    EXPECT_EQ(hint_named("read-mostly"), hint::read_mostly);
    EXPECT_THROW(hint_named("readmostly"), usage_error);
}

}  // namespace
}  // namespace watari::memory
