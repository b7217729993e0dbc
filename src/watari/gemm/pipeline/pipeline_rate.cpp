#include "watari/gemm/pipeline/pipeline_parts.hpp"

#include "watari/measure/clock.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>

namespace watari::gemm {

namespace {

constexpr double rate_seconds = 0.4;  ///< seconds of the timed calls of the BLAS

}  // namespace

double pipeline::blas_rate() {
    parts& p = *parts_;
    if (!p.schedule.multiplies() || p.schedule.steps() == 0) return 0;
    const step at = p.schedule.step(0);
    const tiling& tiles = p.o.c.where.tiles;
    const std::size_t e = p.o.c.where.element;
    const std::size_t m = (at.rows - 1) * tiles.tile + tiles.rows_of(at.row + at.rows - 1);
    const std::size_t n = tiles.columns_of(at.column), k = p.o.a.where.tiles.columns_of(at.l);
    const auto once = [&] {
        p.products->multiply(m, n, k, 1, p.factor_a(at, 0), p.factor_b(at, 0), 0,
                             p.slot(p.schedule.slot_of_c(0, 0)),
                             row_bytes_of(p.o.c.where, at.column) / e);
    };
    const auto seconds_of = [&](std::size_t count) {
        const double start = measure::now();
        for (std::size_t i = 0; i < count; ++i) once();
        memory::wait(p.o.who, p.main_stream());
        return measure::now() - start;
    };
    seconds_of(1);
    const double single = seconds_of(1);
    const double all = p.schedule.steps() * static_cast<double>(p.schedule.block_columns());
    const auto count =
        static_cast<std::size_t>(std::clamp(rate_seconds / single, 1.0, std::max(4.0, all)));
    return static_cast<double>(count) * shape{m, n, k}.flops() / seconds_of(count);
}

}  // namespace watari::gemm
