/// The sum over all columns: a loop's reduction has computed it. Part of pressure/totals.hpp.
#pragma once

#include "pressure/totals.hpp"

namespace watari::cpu {

inline void add_up(const double* values, std::size_t, double* total, double*, stream_t stream) {
    for_each(
        1, [=] WATARI_KERNEL(std::size_t n) { total[n] = values[n]; }, stream);
}
inline void add_all(const les::grid&, const double* partials, double*, double* total,
                    double* scratch, les::iteration_sums*, stream_t stream) {
    add_up(partials, 1, total, scratch, stream);
}

}  // namespace watari::cpu
