// Case `copy`. Bytes: within one memory each byte is read and written, 2 x size; from one memory to
// another each byte crosses the link once, 1 x size; both directions at once, double. No flops.
#include "watari/measure/copy.hpp"
#include "arrays.hpp"
#include "memory.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/room.hpp"

#include <set>
#include <vector>

namespace watari::cases {

namespace {

/// One direction: an array to read and one to write.
struct path {
    array source;
    array destination;
};

memory::placement placed(const copy_parameters& p, const memory_end& end) {
    return {.device = end.kind == memory::kind::device ? end.device : p.processor.number,
            .numa_node = p.numa_node,
            .thp = p.thp,
            .page = p.page,
            .oversubscribe = p.oversubscribe};
}

/// Enables direct access between all GPUs that take part: otherwise the driver stages a copy
/// through CPU memory without an error.
void require_peers(const copy_parameters& p) {
    std::set<int> gpus{p.processor.number};
    for (const memory_end& end : {p.from, p.to})
        if (end.kind == memory::kind::device) gpus.insert(end.device);
    for (const int one : gpus) device::use(one);
    for (const int one : gpus)
        for (const int other : gpus)
            if (one != other) device::enable_peer(one, other);
    device::use(p.processor.number);
}

void require_means(const copy_parameters& p) {
    const bool gpu = p.processor.is_gpu();
    if (!gpu && p.copy_engine) throw unsupported("the CPU has no copy engine; means=kernel");
    if (!gpu && p.streams > 1) throw unsupported("streams belong to a GPU; streams=1 on the CPU");
    if (!gpu && p.bidirectional)
        throw unsupported("the CPU copies one way at a time; bidirectional=no");
    if (gpu && p.ordinary_stores)
        throw unsupported("stores=ordinary belongs to the CPU; stores=default on the GPU");
    for (const memory_end& end : {p.from, p.to})
        if (!p.copy_engine) memory::require_access(memory::row(end.kind), p.processor);
    if (gpu) require_peers(p);
}

/// Above this size the microseconds of enqueueing are negligible, and holding the stream would add
/// them to the host's time.
constexpr std::size_t hold_below = std::size_t{256} << 20;

/// Whether the stream is held while copies are enqueued. Copies for which the driver may make the
/// host wait must not be held: of pageable and managed memory, and from CPU memory to CPU memory.
bool should_be_held(const copy_parameters& p) {
    if (p.size >= hold_below) return false;
    const auto fixed = [](const memory_end& end) {
        return end.kind == memory::kind::pinned || end.kind == memory::kind::device;
    };
    const bool on_gpu = p.from.kind == memory::kind::device || p.to.kind == memory::kind::device;
    return fixed(p.from) && fixed(p.to) && on_gpu;
}

/// Elements of one stream. Parts begin at multiples of 16 bytes: every stream copies by pairs.
struct range {
    std::size_t first, count;
};

range share_of(std::size_t count, std::size_t index, std::size_t streams) {
    const auto start = [&](std::size_t i) {
        return i == streams ? count : count * i / streams / 2 * 2;
    };
    return {start(index), start(index + 1) - start(index)};
}

std::vector<path> make_paths(const copy_parameters& p, std::size_t count) {
    std::vector<path> paths;
    paths.push_back(
        {array(p.from.kind, count, placed(p, p.from)), array(p.to.kind, count, placed(p, p.to))});
    if (p.bidirectional)
        paths.push_back({array(p.to.kind, count, placed(p, p.to)),
                         array(p.from.kind, count, placed(p, p.from))});
    return paths;
}

/// Times the copies. Copy engines work concurrently, one per direction; a kernel copies both.
void sample_copies(measure::trial& into, const copy_parameters& p, const std::vector<path>& paths) {
    const std::size_t count = paths[0].source.size();
    const auto streams = static_cast<std::size_t>(p.streams);
    const measure::copy_kernels& run = kernels_on<measure::copy_kernels>(p.processor);
    const auto part = [&](stream_t stream, int index) {
        const path& w = paths[static_cast<std::size_t>(index) / streams];
        const range r = share_of(count, static_cast<std::size_t>(index) % streams, streams);
        double* to = w.destination.data() + r.first;
        const double* from = w.source.data() + r.first;
        if (p.copy_engine)
            device::copy(to, from, r.count * sizeof(double), stream);
        else if (p.bidirectional)
            run.copy_both(to, from, paths[1].destination.data() + r.first,
                          paths[1].source.data() + r.first, r.count, stream);
        else if (p.ordinary_stores)
            run.copy_ordinary(to, from, r.count, stream);
        else
            run.copy(to, from, r.count, stream);
    };
    const int directions = p.copy_engine ? static_cast<int>(paths.size()) : 1;
    measure::sampler sample(into, p.processor, directions * p.streams, should_be_held(p));
    for (std::size_t i = 0; i < p.samples; ++i) sample(part);
}

residencies look_at(const path& w) {
    return {{"source", look(w.source)}, {"destination", look(w.destination)}};
}

}  // namespace

measure::trial copy(const copy_parameters& p) {
    const std::size_t count = elements(p.size);
    require_placement(p, {p.from.kind, p.to.kind});
    require_means(p);
    const std::size_t bytes = (p.bidirectional ? 2 : 1) * count * sizeof(double);
    const memory::demand demands[] = {{p.from.kind, bytes, placed(p, p.from)},
                                      {p.to.kind, bytes, placed(p, p.to)}};
    memory::require_room(demands);

    measure::trial result;
    prepare(result, p, p.processor);
    const std::vector<path> paths = make_paths(p, count);
    for (const path& w : paths) {
        fill(w.source, toucher(w.source.block(), p.processor), source_seed);
        fill(w.destination, toucher(w.destination.block(), p.processor), poison_seed);
    }
    result.residency_before = look_at(paths[0]);

    sample_copies(result, p, paths);

    result.residency_after = look_at(paths[0]);
    for (const path& w : paths)
        verify(result, w.destination, toucher(w.destination.block(), p.processor), source_seed);
    return result;
}

}  // namespace watari::cases
