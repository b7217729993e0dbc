#include "watari/gemm/foresight.hpp"

#include "watari/core/error.hpp"

#include <tuple>

namespace watari::gemm {

foresight foresee(const gemm::schedule& schedule, const placement& a, const placement& b,
                  const placement& c, double lower_bound) {
    const std::uint64_t once = c.request_bytes(schedule.runs_of(matrix::c));
    traffic objects;
    std::uint64_t read = schedule.times_c() * once, of_objects = 0;
    for (const auto& [of, which, times] : {std::tuple(&a, matrix::a, schedule.times_a()),
                                           std::tuple(&b, matrix::b, schedule.times_b())}) {
        const std::vector<run_of_tiles> runs = schedule.runs_of(which);
        read += times * of->request_bytes(runs);
        if (of->merged == 0 || of->tiles.tiles() == 0) continue;
        of_objects += times * of->request_bytes(runs);
        objects += of->traffic_of(runs) * times;
    }
    return {.read = read,
            .written = once,
            .received = read + objects.bytes - of_objects,
            .requests = objects.requests,
            .lower_bound = schedule.multiplies() ? lower_bound : 0,
            .block_rows = schedule.block_rows(),
            .block_columns = schedule.block_columns(),
            .slots = schedule.slots(),
            .steps = schedule.steps()};
}

void require_foreseen(const foresight& ahead, const pipeline_counts& counts) {
    if (counts.received != ahead.received)
        throw error("the schedule foresaw " + bytes_text(ahead.received) + " to come, and " +
                    bytes_text(counts.received) + " came");
    if (counts.read != ahead.read || counts.written != ahead.written)
        throw error("the schedule foresaw " + bytes_text(ahead.read) + " to read and " +
                    bytes_text(ahead.written) + " to write, and " + bytes_text(counts.read) +
                    " and " + bytes_text(counts.written) + " were moved");
}

}  // namespace watari::gemm
