#include "watari/storage/cache/ways.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace watari {
namespace {

template <unsigned Together>
std::vector<unsigned> looked_at(const std::vector<std::uint64_t>& words, unsigned first,
                                unsigned every, std::uint64_t until) {
    std::vector<unsigned> seen;
    cpu::each_way<Together>(
        static_cast<unsigned>(words.size()), first, every,
        [&](unsigned i) -> const std::uint64_t& { return words.at(i); },
        [&](unsigned i, std::uint64_t word) {
            EXPECT_EQ(word, words[i]);
            seen.push_back(i);
            return word != until;
        });
    return seen;
}

TEST(Ways, AreTheSameHoweverManyLoadsAreUnderWay) {
    for (unsigned ways = 1; ways < 32; ++ways) {
        std::vector<std::uint64_t> words(ways);
        for (unsigned i = 0; i < ways; ++i) words[i] = i;
        for (unsigned every : {1u, 2u, 7u, 32u})
            for (unsigned first = 0; first < every; ++first)
                for (unsigned until = 0; until <= ways; ++until) {
                    std::vector<unsigned> expected;
                    for (unsigned i = first; i < ways; i += every) {
                        expected.push_back(i);
                        if (i == until) break;
                    }
                    ASSERT_EQ(looked_at<1>(words, first, every, until), expected);
                    ASSERT_EQ(looked_at<8>(words, first, every, until), expected);
                }
    }
}

}  // namespace
}  // namespace watari
