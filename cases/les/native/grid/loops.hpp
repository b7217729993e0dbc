/// Loops over the cells of a grid: a thread of the CPU has a row, a warp of the GPU a tile of
/// several planes.
///
/// A body has `operator()<Walls>(where)`, or its two steps. Walls is false where all neighbours of
/// the cell are fluid, which needs no branches; both paths give the same bits there. On a periodic
/// grid the thread or warp that has written cells also writes their copies in the halo, while the
/// cells are in the cache.
#pragma once

#include "grid.hpp"
#include "watari/core/loops.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace watari::WATARI_BACKEND {

/// The index of a cell: on a GPU 32 bits, since a 64-bit address takes twice the instructions.
/// Arrays on a GPU have fewer elements than 2^31.
using index = std::conditional_t<executes == processor::type::gpu, std::int32_t, std::size_t>;
using offset = std::make_signed_t<index>;  ///< from a cell to another

/// A cell, and its index in arrays.
struct cell {
    index k, j, i, at;
};

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

/// A body that computes a value before it writes the value: `value<Walls>(where)` and `put(where,
/// value)`. So the loads of several cells can overlap.
template <class Body>
concept in_two_steps = requires(const Body& body, const cell& where) {
    body.put(where, body.template value<true>(where));
};

template <bool Walls, class Body>
WATARI_INLINE auto visit_cell(const Body& body, const cell& where) {
    if constexpr (in_two_steps<Body>)
        return body.put(where, body.template value<Walls>(where));
    else
        return body.template operator()<Walls>(where);
}

/// Calls enter() of a body that has it, a thread's first step: the body loads values that hold for
/// all cells.
template <class Body>
WATARI_INLINE Body entered(Body body) {
    if constexpr (requires { body.enter(); }) body.enter();
    return body;
}
/// Calls enter(k) of a body that has it, once per row: the body loads values that hold for plane k.
template <class Body>
WATARI_INLINE Body in_plane(Body body, std::size_t k) {
    if constexpr (requires { body.enter(k); }) body.enter(k);
    return body;
}

/// Loops over fewer cells run on one thread: a team would cost more.
inline constexpr std::size_t least_shared = 8192;

}  // namespace watari::WATARI_BACKEND

#include WATARI_PART(rows)
