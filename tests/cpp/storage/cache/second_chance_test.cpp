#include "watari/storage/cache/second_chance.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace watari {
namespace {

using cpu::page_state;
namespace page = cpu::page;

/// The reference for second_chance: looks at one way after the other.
unsigned go_round(std::vector<std::uint64_t>& words, std::uint32_t& hand, bool dirty_too) {
    for (std::size_t step = 0; step < 2 * words.size(); ++step) {
        const unsigned way = hand % static_cast<unsigned>(words.size());
        hand = way + 1;
        const page_state state = page::state(words[way]);
        if (page::holders(words[way]) != 0 || state == page_state::filling ||
            state == page_state::writing || (state == page_state::dirty && !dirty_too))
            continue;
        if ((words[way] & page::used) == 0) return way;
        words[way] &= ~page::used;
    }
    return cpu::second_chance::none;
}

TEST(SecondChance, IsAHandThatGoesRound) {
    constexpr page_state states[] = {page_state::empty,    page_state::clean,
                                     page_state::dirty,    page_state::filling,
                                     page_state::poisoned, page_state::writing};
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        std::vector<std::uint64_t> words(1 + random() % 15);
        const unsigned used_of_4 = random() % 5, held_of_4 = random() % 5;
        for (std::uint64_t& word : words)
            word = page::in(states[random() % 6]) + page::used * (random() % 4 < used_of_4) +
                   page::holder * (random() % 4 < held_of_4);
        std::vector<std::uint64_t> same = words;
        std::uint32_t hand = random() % (words.size() + 1), same_hand = hand;
        for (int again = 0; again < 3; ++again) {
            const bool dirty_too = random() % 2;
            const auto ways = static_cast<unsigned>(words.size());
            ASSERT_EQ(cpu::second_chance::victim(words.data(), ways, hand, dirty_too),
                      go_round(same, same_hand, dirty_too));
            ASSERT_EQ(words, same);
            ASSERT_EQ(hand % ways, same_hand % ways);
        }
    }
}

}  // namespace
}  // namespace watari
