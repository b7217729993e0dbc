/// The flags around a row, as a CPU reads them, for momentum.hpp.
///
/// A vectorised loop that reads bytes beside velocities has as many lanes as a vector has bytes:
/// four times more values than registers. So a row with walls first widens the flags that it will
/// read to the width of a velocity. The widened flags lie in memory of the thread, which stays in
/// the cache.
#pragma once

#include "../grid/loops.hpp"
#include "flow.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace watari::cpu {

template <class Real>
struct flags_around {
    using wide = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;

    const Real* solids = nullptr;  ///< of the rows around, as far apart as in the grid
    index first = 0;               ///< the cell of solids[0]
    const wide* flags = nullptr;   ///< of the row itself
    index begin = 0;               ///< the cell of flags[0]

    /// Widens the flags around the row of `count` cells from `from` on.
    WATARI_INLINE void widen(const les::flow_arguments<Real>& f, const cell& from, index count) {
        const index row = f.grid.row(), plane = f.grid.plane();
        Real* const to = row_scratch<Real>(2 * (plane + row + 1) + same_path);
        solids = to;
        first = from.at - plane - row - 1;
        begin = from.at;
        for (index z = 0; z < 3; ++z)
            for (index y = 0; y < 3; ++y) {
                const index away = z * plane + y * row;
                const std::uint8_t* const of = f.flags + first + away;
                WATARI_VECTORS
                for (index n = 0; n < count + 2; ++n)
                    to[away + n] = Real(wide(of[n] & les::flag::fluid) ^ 1);
            }
        wide* const own = row_scratch<wide>(same_path);
        WATARI_VECTORS
        for (index n = 0; n < count; ++n) own[n] = f.flags[begin + n];
        flags = own;
    }
    WATARI_INLINE Real solid(const std::uint8_t*, index at) const { return solids[at - first]; }
    WATARI_INLINE wide own(const std::uint8_t*, const cell& c) const { return flags[c.at - begin]; }
};

}  // namespace watari::cpu
