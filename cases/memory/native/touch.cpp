// Case `touch`. Every sample has fresh memory. The pass over it is timed, then a second pass, for
// which every page is in place: the difference is the cost of the pages. Bytes: size, written
// (first_touch), moved (prefetch) or read (fault) once. No flops.
#include "arrays.hpp"
#include "memory.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/clock.hpp"
#include "watari/measure/copy.hpp"
#include "watari/measure/pattern.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/hint.hpp"
#include "watari/memory/room.hpp"

#include <optional>

namespace watari::cases {

namespace {

/// One pass of the processor over an array that is untouched, or touched by the other processor.
void pass(const touch_parameters& p, const array& data, std::uint64_t seed, stream_t stream) {
    switch (p.operation) {
        case touch_operation::first_touch:
            kernels_on<measure::pattern_kernels>(p.processor)
                .fill(data.data(), data.size(), seed, stream);
            return;
        case touch_operation::fault:
            kernels_on<measure::copy_kernels>(p.processor).read(data.data(), data.size(), stream);
            return;
        case touch_operation::prefetch:
            memory::prefetch(data.block(), p.processor, stream);
            return;
    }
}

void require_shared(const touch_parameters& p) {
    const memory::kind_row& row = memory::row(p.kind);
    if (p.operation != touch_operation::first_touch && !row.shared)
        throw unsupported(std::string(row.name) +
                          " memory stays in one place: there is nothing to fault or prefetch");
    memory::require_access(row, p.processor);
}

/// Checks the room for one array once: a check per sample would add to its time of allocation.
memory::placement placement_of(const touch_parameters& p, std::size_t bytes) {
    memory::placement how{.device = p.processor.number,
                          .numa_node = p.numa_node,
                          .thp = p.thp,
                          .page = p.page,
                          .oversubscribe = p.oversubscribe};
    const memory::demand demands[] = {{p.kind, bytes, how}};
    memory::require_room(demands);
    how.oversubscribe = true;
    return how;
}

/// A prefetch runs in a GPU's stream, also towards the CPU.
processor timer_of(const touch_parameters& p) {
    return p.operation == touch_operation::prefetch && !p.processor.is_gpu() ? gpu_number(0)
                                                                             : p.processor;
}

}  // namespace

measure::trial touch(const touch_parameters& p) {
    const std::size_t count = elements(p.size);
    require_shared(p);
    require_placement(p, {p.kind});
    const memory::placement how = placement_of(p, count * sizeof(double));

    measure::trial result, second;
    prepare(result, p, p.processor);
    const bool untouched = p.operation == touch_operation::first_touch;
    measure::sampler sample(result, timer_of(p)), sample_again(second, timer_of(p));
    for (std::size_t i = 0; i < p.samples; ++i) {
        const std::uint64_t seed = i + 1;  // memory may come back with the last sample's data
        const double start = measure::now();
        std::optional<array> data(std::in_place, p.kind, count, how);
        result.series["allocate_s"].push_back(measure::now() - start);
        if (!untouched) fill(*data, other(p.processor), seed);
        result.residency_before = {{"array", memory::locate(data->block(), !untouched)}};
        double called = 0, returned = 0;
        const auto run = [&](stream_t stream, int) {
            called = measure::now();
            pass(p, *data, seed, stream);
            returned = measure::now();
        };
        sample(run);
        if (p.operation == touch_operation::prefetch)
            result.series["return_s"].push_back(returned - called);
        result.residency_after = {{"array", look(*data)}};
        // before the second pass, which would write elements that the first pass left out
        if (i + 1 == p.samples) verify(result, *data, p.processor, seed);
        sample_again(run);
        const double freeing = measure::now();
        data.reset();
        result.series["free_s"].push_back(measure::now() - freeing);
    }
    result.series["second_pass_s"] = second.host_s;
    return result;
}

}  // namespace watari::cases
