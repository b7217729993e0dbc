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

/// Above this size the microseconds of enqueueing do not count, and holding would only add them to
/// the host's clock.
constexpr std::size_t hold_below = std::size_t{256} << 20;

/// What the driver may make the host wait for must not be enqueued behind a held stream: pageable
/// and managed memory, and copies from CPU memory to CPU memory.
bool should_be_held(const copy_parameters& p) {
    if (p.size >= hold_below) return false;
    const auto fixed = [](const memory_end& end) {
        return end.kind == memory::kind::pinned || end.kind == memory::kind::device;
    };
    const bool on_gpu = p.from.kind == memory::kind::device || p.to.kind == memory::kind::device;
    return fixed(p.from) && fixed(p.to) && on_gpu;
}

processor place(const memory_end& end, processor who) {
    if (memory::row(end.kind).shared) return who;
    return end.kind == memory::kind::device ? gpu_number(end.device) : the_cpu;
}

/// Elements of one stream; parts begin on 16 bytes, so that every stream copies by pairs.
struct range {
    std::size_t first, count;
};

range share_of(std::size_t count, std::size_t index, std::size_t streams) {
    const auto start = [&](std::size_t i) {
        return i == streams ? count : count * i / streams / 2 * 2;
    };
    return {start(index), start(index + 1) - start(index)};
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
    // the copy engines work side by side, one direction each; a kernel takes both directions itself
    const bool both_in_kernel = p.bidirectional && !p.copy_engine;
    const auto streams = static_cast<std::size_t>(p.streams);
    measure::sampler sample(result, p.processor,
                            p.streams * (both_in_kernel ? 1 : static_cast<int>(directions)),
                            should_be_held(p));
    const auto part = [&](stream_t stream, int index) {
        const way& w = ways[static_cast<std::size_t>(index) / streams];
        const range r = share_of(count, static_cast<std::size_t>(index) % streams, streams);
        double* to = w.destination.data() + r.first;
        const double* from = w.source.data() + r.first;
        if (p.copy_engine)
            device::copy(to, from, r.count * sizeof(double), stream);
        else if (both_in_kernel)
            run.copy_both(to, from, ways[1].destination.data() + r.first,
                          ways[1].source.data() + r.first, r.count, stream);
        else
            run.copy(to, from, r.count, stream);
    };
    for (std::size_t i = 0; i < p.samples; ++i) sample(part);

    result.residency_after = {{"source", look(ways[0].source)},
                              {"destination", look(ways[0].destination)}};
    for (const way& w : ways)
        verify(result, w.destination, toucher(w.destination.block(), p.processor), source_seed);
    return result;
}

}  // namespace watari::bench
