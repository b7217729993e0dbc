// Copies and waits of memory/move.hpp: the same tests for each processor and each kind of memory.
// Without a GPU the tests of a GPU, and of memory that needs one, are skipped with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"

namespace watari::memory {
namespace {

using word = std::uint32_t;

constexpr std::size_t words = 10'007;  ///< no multiple of a vector, page or block of threads

std::vector<word> random_words(std::size_t size, unsigned seed) {
    std::mt19937 draw(seed);
    std::vector<word> values(size);
    std::ranges::generate(values, std::ref(draw));
    return values;
}

class Move : public testing::TestWithParam<std::tuple<processor, kind>> {
protected:
    void SetUp() override {
        try {
            require_access(row(kind_), who_);
        } catch (const unsupported& reason) {
            GTEST_SKIP() << reason.what();
        }
    }
    buffer<word> array(std::size_t size = words) const {
        return {kind_, size, {.device = who_.number}};
    }

    const processor who_ = std::get<processor>(GetParam());
    const kind kind_ = std::get<kind>(GetParam());
};

TEST_P(Move, ReadsBackWhatWasCopied) {
    const std::vector<word> values = random_words(words, 1);
    const buffer<word> data = array();
    copy_now(who_, data.data(), values.data(), words * sizeof(word));
    EXPECT_EQ(read_back(who_, data.data(), words), values);
    EXPECT_EQ(read_back(who_, data.data() + words - 1), values.back());
}

TEST_P(Move, CopiesInTheOrderOfAStream) {
    const std::vector<word> values = random_words(words, 2);
    const buffer<word> first = array(), second = array();
    std::vector<word> result(words);
    copy(who_, first.data(), values.data(), words * sizeof(word), nullptr);
    copy(who_, second.data(), first.data(), words * sizeof(word), nullptr);
    copy(who_, result.data(), second.data(), words * sizeof(word), nullptr);
    wait(who_);
    EXPECT_EQ(result, values);
}

TEST_P(Move, CopiesRowsAndLeavesTheGapsAlone) {
    constexpr std::size_t rows = 37, columns = 11, apart = 13, wide = 17;
    const std::vector<word> values = random_words(rows * apart, 3);
    const std::vector<word> before = random_words(rows * wide, 4);
    const buffer<word> from = array(values.size()), to = array(before.size());
    copy_now(who_, from.data(), values.data(), values.size() * sizeof(word));
    copy_now(who_, to.data(), before.data(), before.size() * sizeof(word));
    copy_rows(who_, to.data(), wide * sizeof(word), from.data(), apart * sizeof(word),
              columns * sizeof(word), rows, nullptr);
    const std::vector<word> after = read_back(who_, to.data(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        const std::size_t row = i / wide, column = i % wide;
        EXPECT_EQ(after[i], column < columns ? values[row * apart + column] : before[i]) << i;
    }
}

TEST_P(Move, CopiesNothing) {
    const buffer<word> data = array();
    const std::vector<word> none;
    copy_now(who_, data.data(), none.data(), 0);
    copy_rows(who_, data.data(), 8, none.data(), 8, 4, 0, nullptr);
    EXPECT_EQ(read_back(who_, data.data(), 0), none);
}

std::string name_of(const testing::TestParamInfo<Move::ParamType>& info) {
    const auto& [who, kind] = info.param;
    return (who.is_gpu() ? "gpu_" : "cpu_") + std::string(row(kind).name);
}

INSTANTIATE_TEST_SUITE_P(CpuAndGpu, Move,
                         testing::Combine(testing::Values(the_cpu, gpu_number(0)),
                                          testing::Values(kind::pageable, kind::pinned,
                                                          kind::device, kind::managed,
                                                          kind::system)),
                         name_of);

TEST(Kinds, OfAProcessorAreThoseThatItCanAddress) {
    for (const processor who : {the_cpu, gpu_number(0)})
        for (const kind k : {local_kind(who), host_kind(who)})
            EXPECT_TRUE(who.is_gpu() ? row(k).gpu_can_address : row(k).cpu_can_address);
    for (const processor who : {the_cpu, gpu_number(0)})
        EXPECT_TRUE(row(host_kind(who)).cpu_can_address);
}

}  // namespace
}  // namespace watari::memory
