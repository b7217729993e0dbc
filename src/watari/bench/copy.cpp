// Case `copy`. Bytes: within one memory each is read and written, 2 x size; from one memory to
// another each crosses the link once, 1 x size; both ways at once, double. No flops.
#include "watari/bench/arrays.hpp"
#include "watari/bench/cases.hpp"
#include "watari/bench/kernels.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/room.hpp"

#include <vector>

namespace watari::bench {

namespace {

/// One direction: an array to read and one to write.
struct way {
    array source;
    array destination;
};

memory::placement placed(const copy_parameters& p, const memory_end& end) {
    return {.device = end.device,
            .numa_node = p.numa_node,
            .thp = p.thp,
            .oversubscribe = p.oversubscribe};
}

void require_means(const copy_parameters& p) {
    const bool gpu = p.processor.is_gpu();
    if (!gpu && p.copy_engine) throw unsupported("the CPU has no copy engine; means=kernel");
    if (!gpu && p.streams > 1) throw unsupported("streams belong to a GPU; streams=1 on the CPU");
    if (!gpu && p.bidirectional)
        throw unsupported("the CPU copies one way at a time; bidirectional=no");
    if (gpu) device::use(p.processor.number);
    for (const memory_end& end : {p.from, p.to}) {
        if (end.kind == memory::kind::device) {
            if (!gpu) throw unsupported("the CPU cannot address device memory");
            device::use(end.device);
            if (end.device != p.processor.number)
                device::enable_peer(p.processor.number, end.device);
        }
        if (!p.copy_engine) memory::require_access(memory::row(end.kind), p.processor);
    }
    if (gpu) device::use(p.processor.number);
}

bool can_be_held(const copy_parameters& p) {
    const auto settled = [](const memory_end& end) {
        return end.kind == memory::kind::pinned || end.kind == memory::kind::device;
    };
    return settled(p.from) && settled(p.to);
}

processor place(const memory_end& end, processor who) {
    if (memory::row(end.kind).shared) return who;
    return end.kind == memory::kind::device ? gpu_number(end.device) : the_cpu;
}

std::vector<way> make_ways(const copy_parameters& p, std::size_t count) {
    std::vector<way> ways;
    ways.push_back(
        {array(p.from.kind, count, placed(p, p.from)), array(p.to.kind, count, placed(p, p.to))});
    if (p.bidirectional)
        ways.push_back({array(p.to.kind, count, placed(p, p.to)),
                        array(p.from.kind, count, placed(p, p.from))});
    return ways;
}

}  // namespace

measure::trial copy(const copy_parameters& p) {
    const std::size_t count = elements(p.size);
    const std::size_t directions = p.bidirectional ? 2 : 1;
    require_means(p);
    const std::size_t bytes = directions * count * sizeof(double);
    const memory::demand demands[] = {{p.from.kind, bytes, placed(p, p.from)},
                                      {p.to.kind, bytes, placed(p, p.to)}};
    memory::require_room(demands);

    measure::trial result;
    prepare(result, p, p.processor);
    const std::vector<way> ways = make_ways(p, count);
    for (const way& w : ways) {
        fill(w.source, toucher(w.source.block(), p.processor), source_seed);
        fill(w.destination, toucher(w.destination.block(), p.processor), poison_seed);
    }
    result.residency_before = {{"source", look(ways[0].source)},
                               {"destination", look(ways[0].destination)}};
    const bool same_memory = place(p.from, p.processor) == place(p.to, p.processor);
    result.bytes_per_sample = static_cast<double>(bytes) * (same_memory ? 2 : 1);

    const kernels& run = kernels_on(p.processor);
    const auto streams = static_cast<std::size_t>(p.streams);
    measure::sampler sample(result, p.processor, p.streams * static_cast<int>(directions),
                            can_be_held(p));
    const auto part = [&](stream_t stream, int index) {
        const way& w = ways[static_cast<std::size_t>(index) / streams];
        const std::size_t share = static_cast<std::size_t>(index) % streams;
        // parts begin on 16 bytes, so that every stream copies by pairs
        const std::size_t first = count * share / streams / 2 * 2;
        const std::size_t last =
            share + 1 == streams ? count : count * (share + 1) / streams / 2 * 2;
        double* to = w.destination.data() + first;
        const double* from = w.source.data() + first;
        if (p.copy_engine)
            device::copy(to, from, (last - first) * sizeof(double), stream);
        else
            run.copy(to, from, last - first, stream);
    };
    for (std::size_t i = 0; i < p.samples; ++i) sample(part);

    result.residency_after = {{"source", look(ways[0].source)},
                              {"destination", look(ways[0].destination)}};
    for (const way& w : ways)
        verify(result, w.destination, toucher(w.destination.block(), p.processor), source_seed);
    return result;
}

}  // namespace watari::bench
