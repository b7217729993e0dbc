/// The body of a loop over cells: what it must have, and what it may have besides.
///
///     operator()<Walls>(cell)   does the work for a cell; or in two steps:
///     value<Walls>(cell)        for several cells, so that their loads overlap, then
///     put(cell, value)          for the same cells
///
///     load_constants()          a thread's first step: values of all cells go into registers
///     enter_plane(k)            before the cells of a row: values of plane k go into registers
///     prepare_row(cell, count)  on a CPU, before a row of cells with walls
///     row(k, j, count)          on a CPU, in place of the others: a row shares what it computes
///     plane()                   on a GPU: elements from a plane to the next
///
/// Walls is false where all neighbours of the cell are fluid, by `flags` (null: all are); this path
/// needs no branches, and both give the same bits there. Where a cell is summed, the last step
/// returns its summand. Bodies for packs and blocks of a GPU also have what packs_gpu.hpp lists.
///
/// A body declares what it costs by a type of its own:
///
///     two_paths       the path without walls is much shorter: a GPU tests the flags first
///     many_registers  a GPU runs fewer blocks at once, each thread with more registers
///     parts           a CPU runs the parts (parts::value of them) of value and put one after the
///                     other, since together they have more values than it has registers
#pragma once

#include "grid.hpp"
#include "watari/core/backend.hpp"

#include <concepts>
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

template <class Body>
concept in_one_step = requires(const Body& body, const cell& where) {
    body.template operator()<true>(where);
};
template <class Body>
concept in_two_steps = requires(const Body& body, const cell& where) {
    body.put(where, body.template value<true>(where));
};
template <class Body>
concept loop_body = requires(const Body& body) {
    { body.flags != nullptr } -> std::same_as<bool>;
}
&&(in_one_step<Body> || in_two_steps<Body>);

template <class Body>
concept has_two_paths = requires {
    typename Body::two_paths;
};
template <class Body>
concept has_many_registers = requires {
    typename Body::many_registers;
};
template <class Body>
concept has_parts = requires {
    typename Body::parts;
};
template <class Body>
concept has_rows = requires(const Body& body, index k) {
    body.row(k, k, k);
};

template <bool Walls, class Body>
WATARI_INLINE auto visit_cell(const Body& body, const cell& where) {
    if constexpr (in_two_steps<Body>)
        return body.put(where, body.template value<Walls>(where));
    else
        return body.template operator()<Walls>(where);
}

template <class Body>
WATARI_INLINE Body with_constants(Body body) {
    if constexpr (requires { body.load_constants(); }) body.load_constants();
    return body;
}
template <class Body>
WATARI_INLINE Body in_plane(Body body, std::size_t k) {
    if constexpr (requires { body.enter_plane(k); }) body.enter_plane(k);
    return body;
}
template <class Body>
WATARI_INLINE void prepare_row(Body& body, const cell& from, index count) {
    if constexpr (requires { body.prepare_row(from, count); }) body.prepare_row(from, count);
}

}  // namespace watari::WATARI_BACKEND
