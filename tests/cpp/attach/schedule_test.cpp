#include "attach/injected/sampled/schedule.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace watari::attach;

namespace {

constexpr const char* letters = "tlmf";

// The placements of `count` launches of one kernel, `-` if a launch is not sampled.
std::string placements_of(schedule& plan, int count, double spent = 0, std::uint64_t threads = 32) {
    std::string found;
    for (int i = 0; i < count; ++i) {
        plan.begin("kernel", threads);
        const auto chosen = plan.next("kernel", threads, spent);
        found += chosen ? letters[static_cast<std::size_t>(chosen->where)] : '-';
        if (chosen) plan.take("kernel", *chosen);
    }
    return found;
}

}  // namespace

TEST(schedule, takes_turns_and_then_looks_at_touches) {
    schedule plan{16};
    EXPECT_EQ(placements_of(plan, 24), "tmlfttmlfttttttttttttt--");
}

TEST(schedule, later_launches_are_timed_at_powers_of_two) {
    schedule plan{16};
    const std::string found = placements_of(plan, 5000);
    std::vector<std::size_t> timed;
    for (std::size_t i = 30; i < found.size(); ++i)
        if (found[i] != '-') timed.push_back(i);
    EXPECT_EQ(timed, (std::vector<std::size_t>{32, 33, 64, 65, 128, 129, 256, 257, 512, 513, 1024,
                                               1025, 2048, 2049, 4096, 4097}));
    EXPECT_EQ(found.substr(32, 2) + found.substr(4096, 2), "mlml");
}

TEST(schedule, later_launches_are_left_out_when_time_is_short) {
    schedule plan{16};
    placements_of(plan, 30);
    EXPECT_EQ(placements_of(plan, 10, 0.5), "----------");
}

TEST(schedule, a_kernel_has_its_first_turns_late_and_one_later) {
    schedule plan{16};
    EXPECT_EQ(placements_of(plan, 5, 0.5), "tml--");
    schedule later{16};
    EXPECT_EQ(placements_of(later, 3, 0.75), "t--");
    schedule over{16};
    EXPECT_EQ(placements_of(over, 2, 1), "--");
}

TEST(schedule, numbers_of_threads_have_turns_of_their_own_and_limits_together) {
    schedule plan{4};
    EXPECT_EQ(placements_of(plan, 3, 0, 32), "tml");
    EXPECT_EQ(placements_of(plan, 3, 0, 64), "tml");
    EXPECT_EQ(placements_of(plan, 9, 0, 32), "fttmlf---");  // four that show touches in all
    for (std::uint64_t each : {128, 256}) EXPECT_EQ(placements_of(plan, 7, 0, each), "mlfmlf-");
    EXPECT_EQ(placements_of(plan, 5, 0, 512), "mlfm-");  // and 24 that are placed
}

TEST(schedule, a_refused_placement_is_left_out) {
    schedule plan{16};
    const auto first = plan.next("kernel", 32, 0);
    first->alike->is_refused[static_cast<std::size_t>(placement::mapped)] = true;
    EXPECT_EQ(placements_of(plan, 8), "tlfttlft");
}

TEST(schedule, only_one_placement_is_that_of_first_launches) {
    schedule plan{16, placement::mapped};
    EXPECT_EQ(placements_of(plan, 4), "m---");
    EXPECT_EQ(placements_of(plan, 2, 0, 64), "m-");
    EXPECT_EQ(placements_of(plan, 2, 1, 128), "--");
}

TEST(schedule, an_excluded_kernel_is_never_sampled) {
    schedule plan{16};
    EXPECT_TRUE(plan.exclude("kernel"));
    EXPECT_FALSE(plan.exclude("kernel"));
    EXPECT_EQ(placements_of(plan, 2), "--");
    EXPECT_TRUE(plan.next("other", 32, 0));
}

TEST(schedule, a_kernel_is_cut_once) {
    schedule plan{16};
    placements_of(plan, 3);
    EXPECT_FALSE(plan.is_cut("kernel", 0.4));
    EXPECT_TRUE(plan.is_cut("kernel", 0.9));
    EXPECT_FALSE(plan.is_cut("kernel", 0.9));
    EXPECT_EQ(plan.touched("kernel"), 1u);
}
