// Rows on a CPU: a thread takes parts with about as many non-zeros each.
#pragma once

#include "watari/core/loops.hpp"

#include <algorithm>
#include <cstring>

namespace watari::cpu {

/// Both waves of a facet, in one register.
using both_waves = double __attribute__((vector_size(16)));

/// Adds 16 non-zeros of a row to its partial sums, which stay in registers.
WATARI_INLINE void add_products(const float* shared, const std::uint32_t* column, const double* x,
                                both_waves (&sums)[les::row_sums]) {
#pragma GCC unroll 16
    for (unsigned l = 0; l < les::row_sums; ++l) {
        both_waves other;
        std::memcpy(&other, x + std::size_t{les::waves} * column[l], sizeof other);
        sums[l] += double(shared[l]) * other;
    }
}

template <class Write>
WATARI_CLONES void part_of_rows(const les::view_matrix& given, const double* x, std::size_t row,
                                std::size_t last, const Write& write) {
    const les::view_matrix m = given;
    for (; row < last; ++row) {
        both_waves sums[les::row_sums]{};
        const std::uint64_t end = m.first[row + 1];
        std::uint64_t at = m.first[row];
        for (; at + les::row_sums <= end; at += les::row_sums)
            add_products(m.shared + at, m.column + at, x, sums);
        float shared[les::row_sums];  // what is not of this row counts as zero, and adds nothing
        for (unsigned l = 0; l < les::row_sums; ++l)
            shared[l] = at + l < end ? m.shared[at + l] : 0.0f;
        add_products(shared, m.column + at, x, sums);
#pragma GCC unroll 4
        for (unsigned half = les::row_sums / 2; half > 0; half /= 2)
#pragma GCC unroll 8
            for (unsigned l = 0; l < half; ++l) sums[l] += sums[l + half];
        write(row, sums[0][les::long_wave], sums[0][les::short_wave]);
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
