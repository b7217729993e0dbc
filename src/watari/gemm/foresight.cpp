#include "watari/gemm/foresight.hpp"

#include "watari/core/error.hpp"

namespace watari::gemm {

foresight foresee(const schedule& order, const placement& a, const placement& b, const placement& c,
                  double lower_bound) {
    const std::uint64_t once = c.request_bytes(order.runs_of(matrix::c));
    return {.read = order.times_a() * a.request_bytes(order.runs_of(matrix::a)) +
                    order.times_b() * b.request_bytes(order.runs_of(matrix::b)) +
                    order.times_c() * once,
            .written = once,
            .lower_bound = order.multiplies() ? lower_bound : 0,
            .block_rows = order.block_rows(),
            .block_columns = order.block_columns(),
            .slots = order.slots(),
            .steps = order.steps()};
}

void require_foreseen(const foresight& ahead, const pipeline_counts& counts) {
    if (counts.read != ahead.read || counts.written != ahead.written)
        throw error("the schedule foresaw " + bytes_text(ahead.read) + " to read and " +
                    bytes_text(ahead.written) + " to write, and " + bytes_text(counts.read) +
                    " and " + bytes_text(counts.written) + " were moved");
}

}  // namespace watari::gemm
