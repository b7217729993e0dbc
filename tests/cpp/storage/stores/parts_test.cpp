// Blocks in parts that lie apart in memory, by every engine that this machine has.
#include "folder.hpp"
#include "storage/random_bytes.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/storage/stores/open_store.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>

namespace watari::storage {
namespace {

constexpr std::size_t blocks = 40, part = 1024, between = 3 * 4096;  ///< bytes between the parts

struct parts_path {
    std::string engine;
    processor who;
};

std::ostream& operator<<(std::ostream& to, const parts_path& w) {
    return to << (w.who.is_gpu() ? "gpu/" : "cpu/") << w.engine;
}

class Parts : public ::testing::TestWithParam<parts_path> {
protected:
    Parts() {
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(stored_.data()),
                   static_cast<std::streamsize>(stored_.size()));
    }

    std::size_t stride() const { return blocks * part + between; }

    /// Moves the blocks at `offsets`, and returns the memory of all parts afterwards.
    std::vector<std::byte> move(files::direction direction, std::size_t parts,
                                const std::vector<std::byte>& before,
                                const std::vector<std::uint64_t>& offsets,
                                std::size_t overlap = 0) {
        const std::size_t block = parts * (part - overlap) + overlap;
        const auto& [engine, who] = GetParam();
        const bool in_memory = in_host_memory(engine);
        memory::buffer<std::byte> host(engine == "managed" ? memory::kind::managed
                                       : in_memory         ? memory::kind::pinned
                                                           : memory::kind::pageable,
                                       stored_.size(), {.device = who.number});
        std::memcpy(host.data(), stored_.data(), stored_.size());
        files::file_options files{.writable = true, .cache = cache_of(engine, true)};
        if (!in_memory) files.paths = {path_};
        const open_store from({.engine = engine,
                               .who = who,
                               .files = files,
                               .memory = {host.data(), host.size()},
                               .requests = 16,
                               .largest_block = block});
        memory::buffer<std::byte> tiles(
            who.is_gpu() ? memory::kind::device : memory::kind::pageable, before.size(),
            {.device = who.number, .thp = memory::huge_pages::always});
        transfer(tiles.data(), before.data(), before.size());
        const auto by = from.open({.direction = direction,
                                   .block = block,
                                   .depth = from.depth(8),
                                   .requests = offsets.size(),
                                   .memory = tiles.data(),
                                   .bytes = tiles.size()});
        by->run({offsets, tiles.data(), block, parts, stride(), overlap});
        by->flush();
        EXPECT_EQ(by->seconds().size(), offsets.size());
        for (const double each : by->seconds()) EXPECT_GE(each, 0);
        if (in_memory) std::memcpy(stored_.data(), host.data(), stored_.size());
        std::vector<std::byte> after(before.size());
        transfer(after.data(), tiles.data(), after.size());
        return after;
    }

    void transfer(std::byte* to, const std::byte* from, std::size_t bytes) const {
        if (!GetParam().who.is_gpu()) {
            std::memcpy(to, from, bytes);
            return;
        }
        device::copy(to, from, bytes, nullptr);
        device::synchronize(nullptr);
    }

    /// The reason why this machine lacks the engine; empty if it has it.
    std::string why_not() {
        try {
            if (GetParam().engine == "cufile")
                move(files::direction::read, 1, std::vector<std::byte>(stride()), {0});
        } catch (const unsupported& reason) {
            return reason.what();
        }
        return "";
    }

    std::vector<std::byte> in_file() const {
        if (in_host_memory(GetParam().engine)) return stored_;
        std::vector<std::byte> all(stored_.size());
        std::ifstream(path_, std::ios::binary)
            .read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size()));
        return all;
    }

    const directory folder_;
    const std::string path_ = folder_.path + "/store";
    std::vector<std::byte> stored_ = random_bytes(4 * blocks * 5 * part, 1);
};

/// Offsets of every third block, then of some with other gaps.
std::vector<std::uint64_t> offsets_of(std::size_t block) {
    std::vector<std::uint64_t> offsets(blocks);
    for (std::size_t i = 0; i < blocks; ++i) offsets[i] = (i < 30 ? 3 * i : 2 * i + 33) * block;
    return offsets;
}

TEST_P(Parts, AreReadAndWritten) {
    if (!why_not().empty()) GTEST_SKIP() << why_not();
    for (const std::size_t parts : {1, 2, 5}) {
        const std::size_t block = parts * part;
        const std::vector<std::uint64_t> offsets = offsets_of(block);
        const std::vector<std::byte> before = random_bytes(parts * stride(), 2);
        std::vector<std::byte> in_memory = before, stored = stored_;
        const auto each_part = [&](auto visit) {
            for (std::size_t i = 0; i < blocks; ++i)
                for (std::size_t k = 0; k < parts; ++k)
                    visit(&in_memory[k * stride() + i * part], &stored[offsets[i] + k * part]);
        };
        each_part([](std::byte* here, const std::byte* there) { std::copy_n(there, part, here); });
        EXPECT_EQ(move(files::direction::read, parts, before, offsets), in_memory) << parts;
        in_memory = before;
        each_part([](const std::byte* here, std::byte* there) { std::copy_n(here, part, there); });
        EXPECT_EQ(move(files::direction::write, parts, before, offsets), before) << parts;
        EXPECT_EQ(in_file(), stored) << parts;
        stored_ = stored;
    }
}

TEST_P(Parts, MayOverlapWhereTheyAreRead) {
    if (!why_not().empty()) GTEST_SKIP() << why_not();
    constexpr std::size_t overlap = 512, step = part - overlap;
    for (const std::size_t parts : {2, 3, 6}) {
        const std::vector<std::uint64_t> offsets = offsets_of(parts * step);
        const std::vector<std::byte> before = random_bytes(parts * stride(), 2);
        std::vector<std::byte> in_memory = before;
        for (std::size_t i = 0; i < blocks; ++i)
            for (std::size_t k = 0; k < parts; ++k)
                std::copy_n(&stored_[offsets[i] + k * step], part,
                            &in_memory[k * stride() + i * part]);
        EXPECT_EQ(move(files::direction::read, parts, before, offsets, overlap), in_memory)
            << parts;
    }
}

std::vector<parts_path> parts_paths() {
    std::vector<parts_path> all;
    for (const char* engine : {"posix", "uring", "mmap", "queue"}) all.push_back({engine, the_cpu});
    if (device::count() > 0)
        for (const char* engine : {"posix", "uring", "mmap", "cufile", "gpu", "pinned", "managed"})
            all.push_back({engine, gpu_number(0)});
    return all;
}

INSTANTIATE_TEST_SUITE_P(Engine, Parts, ::testing::ValuesIn(parts_paths()));

}  // namespace
}  // namespace watari::storage
