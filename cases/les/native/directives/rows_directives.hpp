/// The loops over cells in directives: a thread has a cell, of a sum several, and writes its copies
/// in the halo. Part of grid/loops.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace watari::cpu {

/// Visits a cell, by the shorter path where no neighbour is a wall.
template <class Body>
WATARI_INLINE auto visit(const Body& given, const cell& c) {
    Body body = in_plane(with_constants(given), c.k);
    if (body.flags == nullptr) return visit_cell<false>(body, c);
    if constexpr (has_two_paths<Body>)
        if (body.flags[c.at] & les::flag::inner) return visit_cell<false>(body, c);
    return visit_cell<true>(body, c);
}

/// Writes the copies of a cell in the halo in x and y.
template <class Real>
WATARI_INLINE void copy_around(const les::grid& g, const written<Real>& to, const cell& c) {
    const auto x = static_cast<offset>(g.size.x), y = static_cast<offset>(g.size.y);
    const offset over = c.i == 0 ? x : c.i + 1 == g.size.x ? -x : 0;
    const offset up = (c.j == 0 ? y : c.j + 1 == g.size.y ? -y : 0) * static_cast<offset>(g.row());
    const auto at = static_cast<offset>(c.at);
    for (unsigned n = 0; n < to.count; ++n) {
        Real* const array = to.array[n];
        if (over != 0) array[at + over] = array[at];
        if (up != 0) array[at + up] = array[at];
        if (over != 0 && up != 0) array[at + over + up] = array[at];
    }
}

/// A cell of a grid, by its number. In 32 bits, since a GPU has no instruction that divides: 64
/// bits take several times as many. Arrays on a GPU have fewer elements than 2^31.
WATARI_INLINE cell cell_of(const les::grid& g, std::size_t n) {
    const auto own = static_cast<std::uint32_t>(n), x = static_cast<std::uint32_t>(g.size.x),
               y = static_cast<std::uint32_t>(g.size.y);
    const std::uint32_t above = own / x, i = own - above * x, k = above / y, j = above - k * y;
    return {k, j, i, g.at(k, j, i)};
}

template <class Body, class Real>
void for_each_cell(const les::grid& g, const Body& body, const written<Real>& to, stream_t stream) {
    static_assert(loop_body<Body>);
    for_each(
        g.size.cells(),
        [=] WATARI_KERNEL(std::size_t n) {
            const cell c = cell_of(g, n);
            visit(body, c);
            copy_around(g, to, c);
        },
        stream);
}

/// partials[n] = sum of body(cell) over the cells n, n + threads, ...: neighbouring threads have
/// neighbouring cells. No `reduction`: by GCC it takes several times as long as the cells.
template <class Body, class Real>
void sum_cells(const les::grid& g, const Body& body, double* partials, const written<Real>& to,
               stream_t stream) {
    static_assert(loop_body<Body>);
    const std::size_t cells = g.size.cells(), threads = cells / les::piece_of(g.size.x);
    for_each(
        threads,
        [=] WATARI_KERNEL(std::size_t first) {
            double sum = 0;
            for (std::size_t n = first; n < cells; n += threads) {
                const cell c = cell_of(g, n);
                sum += visit(body, c);
                copy_around(g, to, c);
            }
            partials[first] = sum;
        },
        stream);
}

}  // namespace watari::cpu
