/// How vectors are cut into pieces, which are summed separately (reductions.hpp).
#pragma once

#include <cstddef>

namespace watari {

/// Vectors of several systems, one after the other, each cut from its own beginning.
struct pieces {
    std::size_t length;       ///< elements of one system
    std::size_t systems = 1;  ///< right-hand sides
    std::size_t piece = 256;  ///< elements of a piece; the last may have less

    constexpr std::size_t each() const { return (length + piece - 1) / piece; }
    constexpr std::size_t all() const { return systems * each(); }
};

/// Partial sums of each system that are left to add.
struct partial_sums {
    const double* values;  ///< [system][number][value of one pass]
    std::size_t count;     ///< of one system
};

/// The fixed tree over partial sums: one warp adds at most partials_at_once. More partial sums are
/// first reduced in groups of partials_together.
inline constexpr std::size_t partials_at_once = 1024, partials_together = 256;

/// Doubles for `count` partial sums of `width` values per system, with all levels of the tree.
constexpr std::size_t partial_doubles(std::size_t count, std::size_t systems, std::size_t width) {
    std::size_t all = count;
    while (count > partials_at_once) {
        count = (count + partials_together - 1) / partials_together;
        all += count;
    }
    return all * systems * width;
}

}  // namespace watari
