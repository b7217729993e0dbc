/// The sum over all columns in directives: threads add up columns in place, one adds up their sums.
/// Part of pressure/totals.hpp.
#pragma once

#include "pressure/totals.hpp"

namespace watari::cpu {

inline void add_up(const double* values, std::size_t count, double* total, double*,
                   stream_t stream) {
    for_each(
        1,
        [=] WATARI_KERNEL(std::size_t n) {
            double sum = 0;
            for (std::size_t i = 0; i < count; ++i) sum += values[i];
            total[n] = sum;
        },
        stream);
}
inline void add_all(const les::grid& g, const double* partials, double* columns, double* total,
                    double* scratch, les::iteration_sums*, stream_t stream) {
    const std::size_t row = g.size.x / les::piece_of(g.size.x), count = row * g.size.y,
                      threads = count < 64 ? count : 64;
    add_columns(g, partials, columns, row, stream);
    for_each(
        threads,
        [=] WATARI_KERNEL(std::size_t first) {
            double sum = 0;
            for (std::size_t i = first; i < count; i += threads) sum += columns[i];
            columns[first] = sum;
        },
        stream);
    add_up(columns, threads, total, scratch, stream);
}

}  // namespace watari::cpu
