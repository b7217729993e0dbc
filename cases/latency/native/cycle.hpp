/// The order in which a chase visits the elements of an array: one random cycle through all.
///
/// Sattolo, "An algorithm to generate a random cyclic permutation", Information Processing Letters
/// 22 (1986): Fisher and Yates' shuffle that never leaves an element in place. A plain random
/// permutation has about ln(n) cycles, and a chase would visit only the cycle of its first element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace watari::latency {

/// next[i] is the element that is visited after element i.
using cycle = std::vector<std::uint32_t>;

inline constexpr std::size_t most_elements =
    std::size_t{std::numeric_limits<std::uint32_t>::max()} + 1;

/// One random cycle through `count` elements, the same for the same seed. Throws usage_error for
/// fewer than two elements or more than most_elements.
cycle random_cycle(std::size_t count, std::uint64_t seed);

/// Result of a walk from element 0 back to element 0.
struct walk {
    std::size_t length;  ///< elements of the cycle; 0 if the walk did not return
    std::size_t end;     ///< the element after `steps` steps, if the cycle has every element
};

/// Follows a cycle on the host, one element after the other.
walk walk_cycle(const cycle& next, std::size_t steps);

}  // namespace watari::latency
