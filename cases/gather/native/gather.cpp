// Case `gather`. The toucher writes the source, the processor that gathers writes the destination;
// then every sample is a pass over all elements. The first pass includes the migration of pages, so
// it is a separate quantity. With `turns` every pass does: before each, the source returns to its
// toucher.
#include "gather.hpp"

#include "cached.hpp"
#include "kernels.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/median.hpp"
#include "watari/measure/pattern.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/residency.hpp"
#include "watari/memory/room.hpp"

#include <bit>
#include <string>
#include <vector>

namespace watari::gather {

namespace {

constexpr std::uint64_t source_seed = 1, poison_seed = 2;
constexpr std::size_t smallest = 4, largest = 4096;

void require_sense(const parameters& p) {
    if (!std::has_single_bit(p.element) || p.element < smallest || p.element > largest)
        throw usage_error("element: a power of two from 4 to 4096 bytes");
    if (p.stride < p.element || p.stride % smallest != 0)
        throw usage_error("stride: a multiple of 4 bytes, and no less than an element");
    if (p.size < p.stride || p.size < sizeof(double))
        throw usage_error("size: at least one stride, and 8 bytes");
    if (p.turns == turns::none) return;
    if (p.toucher == p.processor.kind)
        throw usage_error("turns: needs a source that the other processor touches first");
    if (p.hint != memory::hint::none) throw usage_error("turns: takes no hint");
}

/// Throws unsupported for a placement, a toucher or an access that the memory does not support.
void require_placement(const parameters& p) {
    const memory::kind_row& row = memory::row(p.kind);
    memory::require_access(row, p.processor);
    const std::string name(row.name);
    const auto beside =
        p.kind == memory::kind::device ? processor::type::gpu : processor::type::cpu;
    if (!row.shared && p.toucher != beside)
        throw unsupported(name +
                          " memory stays in one place: the other processor cannot touch it first");
    if (!row.placed && memory::placement{.thp = p.thp, .page = p.page}.places_pages())
        throw unsupported(name + " memory has no thp or page: the driver chooses its pages");
    if (p.kind != memory::kind::device || p.device == p.processor.number) return;
    device::use(p.device);
    device::enable_peer(p.processor.number, p.device);
}

/// The GPU that takes part: the one that executes, or that owns or touches the source.
processor gpu_of(const parameters& p) {
    return p.processor.is_gpu() ? p.processor : gpu_number(p.device);
}

processor toucher_of(const parameters& p) {
    if (p.kind == memory::kind::device) return gpu_number(p.device);
    return p.toucher == processor::type::cpu ? the_cpu : gpu_of(p);
}

void fill(const memory::buffer<double>& data, processor who, std::uint64_t seed) {
    kernels_on<measure::pattern_kernels>(who).fill(data.data(), data.size(), seed, nullptr);
    memory::wait(who);
}

/// Source and destination, and the pass from one to the other.
struct arrays {
    memory::buffer<double> source, destination;
    gathering pass;

    memory::residency look(const parameters& p) const {
        const bool migrates = p.hint != memory::hint::mapped;
        return memory::locate(source.block(), migrates);
    }
};

arrays make_arrays(const parameters& p) {
    const std::size_t doubles = p.size / sizeof(double);
    const std::size_t count = doubles * sizeof(double) / p.stride;
    const std::size_t gathered = (count * p.element + sizeof(double) - 1) / sizeof(double);
    const memory::placement how{
        .device = p.kind == memory::kind::device ? p.device : gpu_of(p).number,
        .thp = p.thp,
        .page = p.page,
        .oversubscribe = p.oversubscribe};
    const memory::placement near{.device = p.processor.number, .oversubscribe = p.oversubscribe};
    const memory::demand demands[] = {
        {p.kind, doubles * sizeof(double), how},
        {memory::local_kind(p.processor), gathered * sizeof(double), near}};
    memory::require_room(demands);
    arrays made{{p.kind, doubles, how},
                {memory::local_kind(p.processor), gathered, near},
                {nullptr, nullptr, p.element, p.stride, order(count, p.random)}};
    made.pass.source = reinterpret_cast<const std::byte*>(made.source.data());
    made.pass.destination = reinterpret_cast<std::byte*>(made.destination.data());
    return made;
}

/// Launches each kernel once on few elements, so that the first sample does not load code.
void warm_up(const parameters& p) {
    constexpr std::size_t doubles = largest / sizeof(double);
    const memory::buffer<double> from(memory::local_kind(p.processor), doubles,
                                      {.device = p.processor.number});
    const memory::buffer<double> to(memory::local_kind(p.processor), doubles,
                                    {.device = p.processor.number});
    fill(from, p.processor, source_seed);
    const gathering few{reinterpret_cast<const std::byte*>(from.data()),
                        reinterpret_cast<std::byte*>(to.data()), p.element, p.element,
                        order(largest / p.element, p.random)};
    kernels_on<kernels>(p.processor).gather(few, nullptr);
    kernels_on<kernels>(p.processor).mismatches(few, source_seed, nullptr);
    if (p.turns == turns::none) return;
    const processor reader = toucher_of(p);
    const memory::buffer<double> there(memory::local_kind(reader), doubles,
                                       {.device = reader.number});
    fill(there, reader, source_seed);
    kernels_on<kernels>(reader).read(there.data(), doubles, nullptr);
}

void note_threads(measure::trial& into, int threads) {
    cpu::set_threads(threads);
    const cpu::team team = cpu::current_team();
    into.quantities["threads"] = {static_cast<double>(team.threads), "1"};
    into.quantities["threads_pinned"] = {team.pinned ? 1.0 : 0.0, "1"};
}

/// Prefetches the source to the processor if the hint is prefetch; records the time.
void follow_hint(measure::trial& into, const parameters& p, const arrays& data) {
    if (p.hint != memory::hint::prefetch) return;
    const double start = measure::now();
    memory::prefetch(data.source.block(), p.processor, nullptr);
    device::synchronize(nullptr);
    into.quantities["prefetch"] = {measure::now() - start, "s"};
}

/// Returns the source to its toucher around each pass, and records the times.
class taking_turns {
public:
    taking_turns(measure::trial& into, const parameters& p, const arrays& data)
        : trial_(&into), p_(&p), data_(&data) {}

    void before() const {
        if (p_->turns != turns::none) timed("read_s", [&] { read(toucher_of(*p_)); });
        if (p_->turns == turns::prefetch) timed("bring_s", [&] { move(p_->processor); });
    }
    void after() const {
        if (p_->turns == turns::prefetch) timed("back_s", [&] { move(toucher_of(*p_)); });
    }

private:
    template <class Work>
    void timed(const char* name, const Work& work) const {
        const double start = measure::now();
        work();
        device::synchronize(nullptr);
        trial_->series[name].push_back(measure::now() - start);
    }
    void read(processor who) const {
        const memory::buffer<double>& source = data_->source;
        kernels_on<kernels>(who).read(source.data(), source.size(), nullptr);
    }
    void move(processor to) const {
        const gathering& pass = data_->pass;
        for (std::size_t i = 0; i < pass.visited.count; ++i)
            memory::prefetch(data_->source.block(), pass.visited(i) * pass.stride, pass.element, to,
                             nullptr);
    }

    measure::trial* trial_;
    const parameters* p_;
    const arrays* data_;
};

}  // namespace

measure::trial run(const parameters& p) {
    if (p.hits) return run_cached(p);
    require_sense(p);
    require_placement(p);
    measure::trial result;
    note_threads(result, p.threads);
    warm_up(p);
    const arrays data = make_arrays(p);
    memory::advise(data.source.block(), p.hint, gpu_of(p));
    fill(data.source, toucher_of(p), source_seed);
    fill(data.destination, p.processor, poison_seed);
    result.residency_before = {{"source", data.look(p)}};
    follow_hint(result, p, data);

    measure::sampler sample(result, p.processor);
    const kernels& run = kernels_on<kernels>(p.processor);
    const taking_turns turn(result, p, data);
    for (std::size_t i = 0; i < p.samples; ++i) {
        turn.before();
        sample([&](stream_t stream, int) { run.gather(data.pass, stream); });
        turn.after();
    }

    const auto& seconds = p.processor.is_gpu() ? result.device_s : result.host_s;
    const auto count = static_cast<double>(data.pass.visited.count);
    result.quantities["element_s"] = {measure::median(seconds) / count, "s"};
    result.quantities["first_element_s"] = {seconds.front() / count, "s"};
    result.residency_after = {{"source", data.look(p)}};
    result.wrong_elements += run.mismatches(data.pass, source_seed, nullptr);
    return result;
}

}  // namespace watari::gather
