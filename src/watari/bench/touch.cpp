// Case `touch`. Every sample has fresh memory; the pass over it is timed, then a second one, which
// finds every page in place: the difference is what the pages cost. Bytes: size, written
// (first_touch), moved (prefetch) or read (fault) once. No flops.
#include "watari/bench/arrays.hpp"
#include "watari/bench/cases.hpp"
#include "watari/bench/kernels.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/clock.hpp"
#include "watari/measure/pattern.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/hint.hpp"
#include "watari/memory/room.hpp"

#include <optional>

namespace watari::bench {

namespace {

/// What one sample does to its array, after the other processor touched it or did not.
void pass(const touch_parameters& p, const array& data, stream_t stream, measure::trial& into) {
    switch (p.operation) {
        case touch_operation::first_touch:
            measure::pattern_on(p.processor).fill(data.data(), data.size(), source_seed, stream);
            return;
        case touch_operation::fault:
            kernels_on(p.processor).read(data.data(), data.size(), stream);
            return;
        case touch_operation::prefetch: {
            const double start = measure::now();
            memory::prefetch(data.block(), p.processor, stream);
            into.series["return_s"].push_back(measure::now() - start);
            return;
        }
    }
}

void require_shared(const touch_parameters& p) {
    const memory::kind_row& row = memory::row(p.kind);
    if (p.operation != touch_operation::first_touch && !row.shared)
        throw unsupported(std::string(row.name) +
                          " memory has one place: nothing to fault or prefetch");
    memory::require_access(row, p.processor);
}

}  // namespace

measure::trial touch(const touch_parameters& p) {
    const std::size_t count = elements(p.size);
    const memory::placement how{.device = p.processor.number, .oversubscribe = p.oversubscribe};
    require_shared(p);
    const memory::demand demands[] = {{p.kind, count * sizeof(double), how}};
    memory::require_room(demands);

    measure::trial result;
    prepare(result, p, p.processor);
    const bool untouched = p.operation == touch_operation::first_touch;
    // a prefetch runs in a GPU's stream, also towards the CPU
    const processor timer = p.operation == touch_operation::prefetch && !p.processor.is_gpu()
                                ? gpu_number(0)
                                : p.processor;
    measure::trial second;
    measure::sampler sample(result, timer), sample_again(second, timer);
    for (std::size_t i = 0; i < p.samples; ++i) {
        const double start = measure::now();
        std::optional<array> data(std::in_place, p.kind, count, how);
        result.series["allocate_s"].push_back(measure::now() - start);
        if (!untouched) fill(*data, other(p.processor), source_seed);
        result.residency_before = {{"array", memory::locate(data->block(), !untouched)}};
        sample([&](stream_t stream, int) { pass(p, *data, stream, result); });
        result.residency_after = {{"array", look(*data)}};
        measure::trial unused;
        sample_again([&](stream_t stream, int) { pass(p, *data, stream, unused); });
        if (i + 1 == p.samples) verify(result, *data, p.processor, source_seed);
        const double freeing = measure::now();
        data.reset();
        result.series["free_s"].push_back(measure::now() - freeing);
    }
    result.series["second_pass_s"] = second.host_s;
    result.bytes_per_sample = static_cast<double>(count * sizeof(double));
    return result;
}

}  // namespace watari::bench
