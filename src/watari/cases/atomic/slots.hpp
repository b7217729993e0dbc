/// Which counter an update goes to: all to one, spread over the bins of a histogram, or each
/// worker's to its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace watari::counting {

/// How many workers want the same counter at once: all; some, by chance; none.
enum class contention { counter, histogram, own };

/// Words of a line of a GPU, the longer one: counters of workers lie that far apart.
inline constexpr std::size_t line_words = 16;

/// The counters and what goes to each.
struct slots {
    contention kind;
    std::size_t bins;     ///< of the histogram: a power of two; 1 for a counter
    std::size_t workers;  ///< those that `own` counts for

    constexpr std::size_t words() const {
        return kind == contention::own ? workers * line_words : bins;
    }

    /// The word that update i of a worker goes to: splitmix64's mix, whose bits are even.
    constexpr std::size_t operator()(std::uint64_t i, std::size_t worker) const {
        if (kind == contention::own) return worker * line_words;
        std::uint64_t x = i + 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return (x ^ (x >> 31)) & (bins - 1);
    }
};

/// Updates first <= i < last of all are a worker's.
struct part {
    std::size_t first, last;
};

constexpr part part_of(std::size_t updates, std::size_t worker, std::size_t workers) {
    return {updates / workers * worker + updates % workers * worker / workers,
            updates / workers * (worker + 1) + updates % workers * (worker + 1) / workers};
}

}  // namespace watari::counting
