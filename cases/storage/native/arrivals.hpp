/// Arrivals of a recorded workload: the moment of each block of a sample, and the thread that it
/// goes to. Threads take the blocks in turn, so that the order of time is that of the recording.
#pragma once

#include "storage.hpp"
#include "watari/storage/engines/engine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace watari::cases {

class arrivals {
public:
    /// `shares`: the blocks of each thread, whose locations follow one another.
    arrivals(const storage_parameters& p, std::span<const std::size_t> shares)
        : times_(p.times), ranks_(p.requests) {
        std::size_t rank = 0, longest = 0;
        for (const std::size_t share : shares) longest = std::max(longest, share);
        for (std::size_t turn = 0; turn < longest; ++turn) {
            std::size_t first = 0;
            for (const std::size_t share : shares) {
                if (turn < share) ranks_[first + turn] = rank++;
                first += share;
            }
        }
    }

    /// The position in a sample of the block at a location.
    std::uint64_t rank(std::size_t location) const { return ranks_[location]; }

    /// The moments of a sample that begins soon; `first` blocks came before it.
    std::span<const double> moments(std::uint64_t first) {
        constexpr double soon = 1e-3;  // all threads are ready
        const double start = storage::now() + soon - at(first);
        moments_.resize(ranks_.size());
        for (std::size_t i = 0; i < ranks_.size(); ++i) moments_[i] = start + at(first + ranks_[i]);
        return moments_;
    }

private:
    /// The seconds of a block; behind the end the recording begins again.
    double at(std::uint64_t number) const {
        const std::uint64_t round = number / times_.size();
        return static_cast<double>(round) * times_.back() + times_[number % times_.size()];
    }

    const std::vector<double>& times_;
    std::vector<std::size_t> ranks_;
    std::vector<double> moments_;
};

}  // namespace watari::cases
