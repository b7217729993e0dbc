/// The loops of the CPU: a thread has a row. Part of loops.hpp, which includes it.
#pragma once

#include "loops.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace watari::cpu {

/// Returns memory of this thread for `count` numbers, aligned to a line of the cache. Loops touch
/// few pages of a large one.
template <class Real>
Real* row_scratch(std::size_t count) {
    struct alignas(64) line {
        std::byte bytes[64];
    };
    thread_local std::unique_ptr<line[]> held;
    thread_local std::size_t size = 0;
    if (size < count) held.reset(new line[count * sizeof(Real) / sizeof(line) + 1]), size = count;
    return reinterpret_cast<Real*>(held.get());
}

/// Calls work(k, j) for each row.
template <class Work>
void for_each_grid_row(const les::grid& g, const Work& work) {
    const std::size_t across = g.size.y;
    if (g.size.cells() < least_shared) {
        for (std::size_t row = 0; row < g.rows(); ++row) work(row / across, row % across);
        return;
    }
    for_each_part(g.rows(), [=](std::size_t row, std::size_t last) {
        for (; row < last; ++row) work(row / across, row % across);
    });
}

/// Visits cells of a row. Bodies are passed by reference, since the core would wait for the stores
/// of a copy before it can load them. The loop has its own copy, in registers.
template <bool Walls, class Body>
WATARI_CLONES void visit_row(const Body& given, const cell& from, std::size_t count) {
    Body body = in_plane(with_constants(given), from.k);
    if constexpr (Walls) prepare_row(body, from, count);
    WATARI_VECTORS
    for (std::size_t i = 0; i < count; ++i)
        visit_cell<Walls>(body, {from.k, from.j, from.i + i, from.at + i});
}

template <unsigned N, class Body>
WATARI_INLINE void visit_part(const Body& body, const cell& from, std::size_t count) {
    WATARI_VECTORS
    for (std::size_t i = 0; i < count; ++i) {
        const cell c{from.k, from.j, from.i + i, from.at + i};
        body.template put<N, N + 1>(c, body.template value<true, N, N + 1>(c));
    }
    if constexpr (N + 1 < Body::parts::value) visit_part<N + 1>(body, from, count);
}

/// Visits cells of a row with walls by the parts of a body, one after the other: together the parts
/// have far more values than a CPU has registers.
template <class Body>
WATARI_CLONES void visit_parts(const Body& given, const cell& from, std::size_t count) {
    Body body = in_plane(with_constants(given), from.k);
    prepare_row(body, from, count);
    visit_part<0>(body, from, count);
}
template <class Body>
void visit_walls(const Body& body, const cell& from, std::size_t count) {
    if constexpr (has_parts<Body>)
        visit_parts(body, from, count);
    else
        visit_row<true>(body, from, count);
}

/// Adds halves onto halves. Each addition is a loop of a constant length: no branches.
template <std::size_t Half>
WATARI_INLINE void fold(double (&lane)[row_lanes]) {
    for (std::size_t l = 0; l < Half; ++l) lane[l] += lane[l + Half];
    if constexpr (Half > 1) fold<Half / 2>(lane);
}

/// Returns the sum over a piece of a row: 32 lanes that step by 32, then halves onto halves.
template <bool Walls, class Body>
WATARI_INLINE double sum_piece(const Body& body, const cell& from, std::size_t count) {
    double lane[row_lanes]{};
    const auto add = [&](std::size_t i, std::size_t here) __attribute__((always_inline)) {
        WATARI_VECTORS
        for (std::size_t l = 0; l < here; ++l)
            lane[l] += visit_cell<Walls>(body, {from.k, from.j, from.i + i + l, from.at + i + l});
    };
    std::size_t i = 0;
    for (; i + row_lanes <= count; i += row_lanes) add(i, row_lanes);
    if (i < count) add(i, count - i);
    fold<row_lanes / 2>(lane);
    return lane[0];
}
template <bool Walls, class Body>
WATARI_CLONES double sum_row(const Body& given, const cell& from, std::size_t count) {
    const Body body = with_constants(given);
    return sum_piece<Walls>(body, from, count);
}

template <class Body>
bool has_walls(const Body& body, std::size_t at, std::size_t count) {
    return body.flags != nullptr && !all_inner(body.flags + at, count);
}

/// Writes the copies of row (k, j) in the halo in x and y.
template <class Real>
void copy_around(const les::grid& g, std::size_t k, std::size_t j, const written<Real>& to) {
    for (unsigned n = 0; n < to.count; ++n) {
        Real* const row = to.array[n] + g.at(k, j, 0) - 1;
        const std::size_t last = g.size.x, above = g.size.y * g.row();
        if (g.around_x) row[0] = row[last], row[last + 1] = row[1];
        if (!g.around_y) continue;
        const std::size_t first = g.around_x ? 0 : 1, count = last + 2 - 2 * first;
        if (j == 0) std::copy_n(row + first, count, row + above + first);
        if (j + 1 == g.size.y) std::copy_n(row + first, count, row + first - above);
    }
}

/// Calls body(cell) for each cell, in no order, or body.row(k, j, cells).
template <class Body, class Real>
void for_each_cell(const les::grid& g, Body body, written<Real> to, stream_t) {
    static_assert(loop_body<Body>);
    for_each_grid_row(g, [=](std::size_t k, std::size_t j) {
        if constexpr (has_rows<Body>) {
            body.row(k, j, g.size.x);
        } else {
            for (std::size_t i = 0; i < g.size.x; i += same_path) {
                const std::size_t count = g.size.x - i < same_path ? g.size.x - i : same_path;
                const cell from{k, j, i, g.at(k, j, i)};
                has_walls(body, from.at, count) ? visit_walls(body, from, count)
                                                : visit_row<false>(body, from, count);
            }
        }
        copy_around(g, k, j, to);
    });
}

/// partials[(k * ny + j) * pieces + p] = sum of body(cell) over the p-th piece of row (k, j).
template <class Body, class Real>
void sum_cells(const les::grid& g, Body body, double* partials, written<Real> to, stream_t) {
    static_assert(loop_body<Body>);
    const std::size_t piece = les::piece_of(g.size.x), pieces = g.size.x / piece;
    for_each_grid_row(g, [=](std::size_t k, std::size_t j) {
        for (std::size_t p = 0; p < pieces; ++p) {
            const cell from{k, j, p * piece, g.at(k, j, p * piece)};
            partials[(k * g.size.y + j) * pieces + p] = has_walls(body, from.at, piece)
                                                            ? sum_row<true>(body, from, piece)
                                                            : sum_row<false>(body, from, piece);
        }
        copy_around(g, k, j, to);
    });
}

}  // namespace watari::cpu
