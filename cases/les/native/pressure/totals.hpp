/// Sums of the partial sums of pieces of rows, by a fixed tree: over z, then over all columns. For
/// iteration.cpp.
#pragma once

#include "../grid/loops.hpp"
#include "iteration.hpp"

namespace watari::WATARI_BACKEND {

inline void add_columns(const les::grid& g, const double* partials, double* columns,
                        std::size_t row, stream_t stream) {
    const std::size_t pieces = g.size.x / les::piece_of(g.size.x), each = pieces * g.size.y,
                      planes = g.size.z;
    for_each(
        each,
        [=] WATARI_KERNEL(std::size_t n) {
            constexpr std::size_t at_once = 16;  // loads: a GPU has few of these threads
            const double* from = partials + n;
            double sum = 0;
            std::size_t k = 0;
            for (; k + at_once <= planes; k += at_once) {
                double next[at_once];
                for (std::size_t a = 0; a < at_once; ++a) next[a] = from[(k + a) * each];
                for (const double value : next) sum += value;
            }
            for (; k < planes; ++k) sum += from[k * each];
            columns[n / pieces * row + n % pieces] = sum;
        },
        stream);
}

}  // namespace watari::WATARI_BACKEND

#include WATARI_PART(totals)
