/// Loops over the cells of a grid: a thread of the CPU has a row, a warp of the GPU a tile of
/// several planes.
///
/// body.hpp says what the body of a loop has. On a periodic grid the thread or warp that has
/// written cells also writes their copies in the halo, while the cells are in the cache.
#pragma once

#include "body.hpp"
#include "grid.hpp"
#include "watari/core/loops.hpp"

#include <cstddef>
#include <cstdint>

namespace watari::WATARI_BACKEND {

inline bool all_inner(const std::uint8_t* flags, std::size_t count) {
    std::uint8_t all = les::flag::inner;
    for (std::size_t i = 0; i < count; ++i) all &= flags[i];
    return all != 0;
}

/// a + factor b, read as if it were an array.
template <class Real>
struct sum_of {
    const Real *a, *b;
    Real factor;

    WATARI_INLINE Real operator[](offset n) const { return a[n] + factor * b[n]; }
    WATARI_INLINE sum_of operator+(offset n) const { return {a + n, b + n, factor}; }
};

/// p after two steps, p + before d + alpha (e + beta d), read as if it were an array.
template <class Real>
struct stepped {
    const Real *p, *d, *e;
    Real before{}, beta{}, alpha{};

    WATARI_INLINE Real of(Real p, Real d, Real e) const {
        return (p + before * d) + alpha * (e + beta * d);
    }
    WATARI_INLINE Real operator[](offset n) const { return of(p[n], d[n], e[n]); }
    WATARI_INLINE stepped operator+(offset n) const {
        return {p + n, d + n, e + n, before, beta, alpha};
    }
};

/// The arrays that a loop writes, with their halo.
template <class Real>
struct written {
    Real* array[5]{};
    unsigned count = 0;
};

/// Cells of a row that a CPU computes together.
inline constexpr std::size_t same_path = 256;

/// Loops over fewer cells run on one thread: a team would cost more.
inline constexpr std::size_t least_shared = 8192;

}  // namespace watari::WATARI_BACKEND

#include WATARI_PART(rows)
