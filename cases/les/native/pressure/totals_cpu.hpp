/// The sum over all columns on a CPU. Part of totals.hpp, which includes it.
#pragma once

#include "totals.hpp"
#include "watari/core/parallel/sums.hpp"

namespace watari::cpu {

inline void add_up(const double* values, std::size_t count, double* total, double* scratch,
                   stream_t stream) {
    sum_values(values, count, scratch, stream);
    total[0] = scratch[0];
}
inline void add_all(const les::grid& g, const double* partials, double* columns, double* total,
                    double* scratch, les::iteration_sums*, stream_t stream) {
    const std::size_t row = g.size.x / les::piece_of(g.size.x);
    add_columns(g, partials, columns, row, stream);
    add_up(columns, row * g.size.y, total, scratch, stream);
}

}  // namespace watari::cpu
