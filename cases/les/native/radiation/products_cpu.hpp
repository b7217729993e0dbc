// Rows on a CPU: a thread takes parts with about as many non-zeros each.
#pragma once

#include "watari/core/loops.hpp"

#include <algorithm>

namespace watari::cpu {

/// Adds up to 16 non-zeros of a row to its partial sums.
template <class Count>
WATARI_INLINE void add_products(const les::view_matrix& m, const double* x, std::uint64_t at,
                                Count count, double (&sums)[les::waves][les::row_sums]) {
    const double* const light = x + m.rows;
    WATARI_VECTORS
    for (unsigned l = 0; l < count; ++l) {
        const double shared = m.shared[at + l];
        const std::uint32_t other = m.column[at + l];
        sums[0][l] += shared * x[other];
        sums[1][l] += shared * light[other];
    }
}

template <class Write>
WATARI_CLONES void part_of_rows(const les::view_matrix& given, const double* x, std::size_t row,
                                std::size_t last, const Write& write) {
    const les::view_matrix m = given;
    for (; row < last; ++row) {
        double sums[les::waves][les::row_sums]{};
        const std::uint64_t end = m.first[row + 1];
        std::uint64_t at = m.first[row];
        for (; at + les::row_sums <= end; at += les::row_sums)
            add_products(m, x, at, les::row_sums, sums);
        add_products(m, x, at, static_cast<unsigned>(end - at), sums);
        for (unsigned half = les::row_sums / 2; half > 0; half /= 2)
            for (unsigned l = 0; l < half; ++l) {
                sums[0][l] += sums[0][l + half];
                sums[1][l] += sums[1][l + half];
            }
        write(row, sums[0][0], sums[1][0]);
    }
}

/// Calls write(row, S x of long waves, of light) for all rows.
template <class Write>
void for_each_product(const les::view_matrix& m, const double* x, const Write& write, stream_t) {
    for_each_part(m.part_count, [&](std::size_t first, std::size_t last) {
        part_of_rows(m, x, m.parts[first], m.parts[last], write);
    });
}

}  // namespace watari::cpu
