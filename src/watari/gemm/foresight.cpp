#include "watari/gemm/foresight.hpp"

#include "watari/core/error.hpp"

namespace watari::gemm {

foresight foresee(const gemm::schedule& schedule, const placement& a, const placement& b,
                  const placement& c, double lower_bound) {
    const std::uint64_t once = c.request_bytes(schedule.runs_of(matrix::c));
    return {.read = schedule.times_a() * a.request_bytes(schedule.runs_of(matrix::a)) +
                    schedule.times_b() * b.request_bytes(schedule.runs_of(matrix::b)) +
                    schedule.times_c() * once,
            .written = once,
            .lower_bound = schedule.multiplies() ? lower_bound : 0,
            .block_rows = schedule.block_rows(),
            .block_columns = schedule.block_columns(),
            .slots = schedule.slots(),
            .steps = schedule.steps()};
}

void require_foreseen(const foresight& ahead, const pipeline_counts& counts) {
    if (counts.read != ahead.read || counts.written != ahead.written)
        throw error("the schedule foresaw " + bytes_text(ahead.read) + " to read and " +
                    bytes_text(ahead.written) + " to write, and " + bytes_text(counts.read) +
                    " and " + bytes_text(counts.written) + " were moved");
}

}  // namespace watari::gemm
