/// The counter that an update goes to: one counter for all updates, a bin of a histogram, or the
/// worker's own counter.
#pragma once

#include "watari/core/members.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::counting {

/// Workers that update the same counter at once: all; some, by chance; none.
enum class contention { counter, histogram, own };
inline constexpr word<contention> contentions[] = {{"counter", contention::counter},
                                                   {"histogram", contention::histogram},
                                                   {"none", contention::own}};

/// Words of a cache line of a GPU, which is longer than a CPU's: counters of workers lie this far
/// apart.
inline constexpr std::size_t line_words = 16;

/// The counters, and the mapping of updates to counters.
struct slots {
    contention kind;
    std::size_t bins;     ///< of the histogram: a power of two; 1 for a counter
    std::size_t workers;  ///< counters of `own`, one per worker

    constexpr std::size_t words() const {
        return kind == contention::own ? workers * line_words : bins;
    }

    /// Returns the word that update i of a worker goes to: low bits of splitmix64's mix, which are
    /// uniformly distributed.
    constexpr std::size_t operator()(std::uint64_t i, std::size_t worker) const {
        if (kind == contention::own) return worker * line_words;
        std::uint64_t x = i + 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return (x ^ (x >> 31)) & (bins - 1);
    }
};

/// The updates of a worker: first <= i < last.
struct part {
    std::size_t first, last;
};

constexpr part part_of(std::size_t updates, std::size_t worker, std::size_t workers) {
    return {updates / workers * worker + updates % workers * worker / workers,
            updates / workers * (worker + 1) + updates % workers * (worker + 1) / workers};
}

}  // namespace watari::counting
