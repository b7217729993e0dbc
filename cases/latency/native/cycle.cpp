#include "cycle.hpp"

#include "watari/core/error.hpp"

#include <numeric>
#include <random>
#include <string>
#include <utility>

namespace watari::latency {

cycle random_cycle(std::size_t count, std::uint64_t seed) {
    if (count < 2 || count > most_elements)
        throw usage_error("a cycle has 2 to " + std::to_string(most_elements) + " elements, not " +
                          std::to_string(count) + ": choose another size or stride");
    cycle next(count);
    std::iota(next.begin(), next.end(), 0u);
    std::mt19937_64 random(seed);
    for (std::size_t i = count - 1; i > 0; --i) {
        // the upper 32 bits as a fraction of i: 0 <= other < i
        const std::size_t other = ((random() >> 32) * i) >> 32;
        std::swap(next[i], next[other]);
    }
    return next;
}

walk walk_cycle(const cycle& next, std::size_t steps) {
    const std::size_t stop = steps % next.size();
    walk seen{.length = 0, .end = 0};
    std::size_t at = 0;
    do {
        if (seen.length == stop) seen.end = at;
        at = next[at];
        ++seen.length;
    } while (at != 0 && seen.length < next.size());
    if (at != 0) seen.length = 0;
    return seen;
}

}  // namespace watari::latency
