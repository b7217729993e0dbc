/// Sums over vectors into the caller's memory: nothing is allocated, the host never waits.
///
/// A vector is cut into pieces. The sum of a piece has 32 lanes that step by 32; then the upper
/// half of the lanes is added to the lower half, until one is left. The sums of the pieces
/// ("partial sums") are added in the same way, 256 at a time while there are more than 1024. So the
/// bits depend only on the length of a piece. They do not depend on the threads, nor on the
/// processor (in files that are compiled UNFUSED). They do not depend on the division of whole
/// pieces among ranks, if the partial sums are put into global order (`order_partials`) before they
/// are added.
///
/// Bytes: each vector once; partial sums are 8 bytes a value and piece. Sums are in double.
#pragma once

#include "watari/core/loops.hpp"
#include "watari/core/parallel/pieces.hpp"
#include "watari/core/parallel/warp.hpp"

#include <cstddef>

namespace watari::WATARI_BACKEND {

/// Several sums of one pass.
template <unsigned Width>
struct sums {
    double value[Width];
};

/// Lanes of the 32 that one thread computes: on a CPU a warp is one thread.
inline constexpr unsigned lanes_of_a_thread = executes == processor::type::cpu ? row_lanes : 1;

/// The sum of element(i) for first <= i < last by the fixed tree, by a whole warp. The leading
/// thread has the result.
template <unsigned Width, class Element>
WATARI_KERNEL sums<Width> warp_sum(const group& threads, std::size_t first, std::size_t last,
                                   const Element& element) {
    double lane[Width][lanes_of_a_thread]{};  // a value's lanes side by side: vectors of a CPU
    const auto add = [&](unsigned l) {
        const sums<Width> one = element(first + l);
        for (unsigned k = 0; k < Width; ++k) lane[k][l] += one.value[k];
    };
    first += threads.rank();
    last += threads.rank();
    for (; first + row_lanes <= last; first += row_lanes)
        for (unsigned l = 0; l < lanes_of_a_thread; ++l) add(l);
    for (unsigned l = 0; l < lanes_of_a_thread; ++l)
        if (first + l + threads.rank() < last) add(l);
    sums<Width> total;
    for (unsigned k = 0; k < Width; ++k) {
        for (unsigned half = row_lanes / 2; half > 0; half /= 2) {
            if constexpr (executes == processor::type::cpu) {
                for (unsigned l = 0; l < half; ++l) lane[k][l] += lane[k][l + half];
            } else {
                lane[k][0] += threads.broadcast(lane[k][0], (threads.rank() + half) % row_lanes);
            }
        }
        total.value[k] = lane[k][0];
    }
    return total;
}

/// One piece of one system's vector, and the warp that computes it.
struct piece {
    group threads;
    std::size_t number;       ///< among the pieces of all systems
    std::size_t system;       ///< the system of the piece
    std::size_t first, last;  ///< its elements, counted over all systems

    /// Calls element(i) for each of its elements.
    template <class Element>
    WATARI_KERNEL void each(const Element& element) const {
        for (std::size_t i = first + threads.rank(); i < last; i += threads.size()) element(i);
    }
    /// partials[number] = the sums of element(i), Width doubles.
    template <unsigned Width, class Element>
    WATARI_KERNEL void sum(double* partials, const Element& element) const {
        const sums<Width> total = warp_sum<Width>(threads, first, last, element);
        if (threads.leads())
            for (unsigned k = 0; k < Width; ++k) partials[number * Width + k] = total.value[k];
    }
};

/// Calls body(piece) for the pieces of all systems, in no order, one warp each.
template <class Body>
void for_each_piece(const pieces& range, Body body, stream_t stream) {
    for_each_warp(
        range.all(),
        [=] WATARI_KERNEL(std::size_t w) {
            const std::size_t system = w / range.each(), number = w % range.each();
            const std::size_t first = number * range.piece, end = first + range.piece;
            const std::size_t base = system * range.length;
            body(piece{group::active(), w, system, base + first,
                       base + (end < range.length ? end : range.length)});
        },
        stream);
}

/// to[s][g][k] = the sum of from[s][i][k] over group g of `together` indices i < count, by the
/// fixed tree.
inline void sum_partials(double* to, const double* from, std::size_t count, std::size_t together,
                         std::size_t systems, std::size_t width, stream_t stream) {
    const std::size_t groups = (count + together - 1) / together;
    for_each_warp(
        systems * groups * width,
        [=] WATARI_KERNEL(std::size_t w) {
            const std::size_t k = w % width, g = w / width % groups, s = w / width / groups;
            const std::size_t end = (g + 1) * together;
            const sums<1> total = warp_sum<1>(
                group::active(), g * together, end < count ? end : count,
                [=](std::size_t i) { return sums<1>{{from[(s * count + i) * width + k]}}; });
            if (group::active().leads()) to[w] = total.value[0];
        },
        stream);
}

/// Reduces the partial sums of each system to at most partials_at_once, by the fixed tree. The
/// result lies behind the input in `partials`, which has room for partial_doubles. Returns before
/// it is done.
inline partial_sums fold_partials(double* partials, std::size_t count, std::size_t systems,
                                  std::size_t width, stream_t stream) {
    while (count > partials_at_once) {
        double* const next = partials + systems * count * width;
        sum_partials(next, partials, count, partials_together, systems, width, stream);
        partials = next;
        count = (count + partials_together - 1) / partials_together;
    }
    return {partials, count};
}

/// totals[s][k] = the sum of partials[s][i][k] over 0 <= i < count; `partials` has room as for
/// fold_partials.
inline void add_partials(double* totals, double* partials, std::size_t count, std::size_t systems,
                         std::size_t width, stream_t stream) {
    const partial_sums left = fold_partials(partials, count, systems, width, stream);
    sum_partials(totals, left.values, left.count, partials_at_once, systems, width, stream);
}

/// ordered[s][numbers[i]][k] = gathered[s][i][k] for 0 <= i < count: the partial sums of several
/// ranks in the order of the whole vector, which has `pieces` of them per system.
inline void order_partials(double* ordered, std::size_t pieces, const double* gathered,
                           const std::size_t* numbers, std::size_t count, std::size_t systems,
                           std::size_t width, stream_t stream) {
    for_each(
        systems * count * width,
        [=] WATARI_KERNEL(std::size_t w) {
            const std::size_t k = w % width, i = w / width % count, s = w / width / count;
            ordered[(s * pieces + numbers[i]) * width + k] = gathered[w];
        },
        stream);
}

}  // namespace watari::WATARI_BACKEND
