// A controller that keeps every rule of the queue protocol and checks that its users keep them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "watari/storage/nvme/queue_memory.hpp"

namespace watari::storage {

using namespace watari::cpu;

/// A controller of one queue that acts only when called.
class model_controller {
public:
    model_controller(const queue_memory& memory, std::mt19937& random)
        : memory_(memory),
          random_(random),
          depth_(memory.options().depth),
          log2_(static_cast<unsigned>(std::countr_zero(depth_))) {
        fetched_ = posted_ = memory.options().first_ticket;
    }

    /// Fetches one command, if the doorbell says that there is one.
    bool fetch() {
        const std::uint32_t tail = memory_.doorbells(0)[0];
        EXPECT_LT(tail, depth_);
        if ((fetched_ & (depth_ - 1)) == tail) return false;
        const submission_entry entry = memory_.submissions(0)[fetched_++ & (depth_ - 1)];
        EXPECT_NE(entry.cid(), 0xffff);
        EXPECT_TRUE(under_way_.emplace(entry.cid(), entry.block).second)
            << "an identifier was acquired twice";
        EXPECT_TRUE(seen_.insert(entry.block).second) << "a command was fetched twice";
        EXPECT_LT(under_way_.size(), depth_);
        return true;
    }

    /// Completes a random command, with a status that identifies it.
    bool complete() {
        if (under_way_.empty() || is_full()) return false;
        auto any = under_way_.begin();
        std::advance(any, random_() % std::min<std::size_t>(under_way_.size(), 32));
        post(any->first, any->second);
        ended_.emplace_back(*any);
        if (ended_.size() > 4) ended_.pop_front();
        under_way_.erase(any);
        return true;
    }

    /// Completes this command.
    void complete(std::uint16_t cid) {
        post(cid, under_way_.at(cid));
        under_way_.erase(cid);
    }

    /// Posts an earlier completion once more, with another status: a fault.
    bool repeat() {
        if (ended_.empty() || is_full()) return false;
        post(ended_.front().first, ended_.front().second + 1);
        return true;
    }

    std::size_t under_way() const { return under_way_.size(); }

    static status status_of(std::uint64_t block) {
        return {7, static_cast<std::uint8_t>(block % 191), false, false};
    }

private:
    bool is_full() const {
        const std::uint32_t taken = memory_.doorbells(0)[queue_memory::doorbell_stride];
        return ((posted_ - taken) & (depth_ - 1)) == depth_ - 1;
    }

    void post(std::uint16_t cid, std::uint64_t block) {
        memory_.completions(0)[posted_ & (depth_ - 1)].outcome =
            make_outcome(cid, 1, static_cast<std::uint16_t>(fetched_ & (depth_ - 1)),
                         expected_phase(posted_, log2_), status_of(block));
        ++posted_;
    }

    const queue_memory& memory_;
    std::mt19937& random_;
    std::uint32_t depth_, fetched_, posted_;
    unsigned log2_;
    std::map<std::uint16_t, std::uint64_t> under_way_;
    std::set<std::uint64_t> seen_;
    std::deque<std::pair<std::uint16_t, std::uint64_t>> ended_;
};

}  // namespace watari::storage
