// The time that sampling takes of what it may take: so many nanoseconds of work, and none after a
// time of the clock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace watari::attach {

class spending {
public:
    // `most`: ns of work; `until`: CLOCK_MONOTONIC.
    void set_limits(std::uint64_t most, std::uint64_t until) {
        most_work = most;
        last = until;
    }

    void add(std::uint64_t ns) { work += ns; }

    // The work that is left at this time, in ns.
    std::uint64_t left(std::uint64_t now) const {
        const std::uint64_t done = work;
        return std::min(most_work > done ? most_work - done : 0, last > now ? last - now : 0);
    }

    // The share of the work that is done: 1 and more when sampling is over.
    double share(std::uint64_t now) const {
        if (now >= last) {
            return 1;
        }
        return static_cast<double>(work) / std::max(static_cast<double>(most_work), 1.0);
    }

private:
    std::uint64_t most_work = 0, last = UINT64_MAX;
    std::atomic<std::uint64_t> work{0};
};

}  // namespace watari::attach
