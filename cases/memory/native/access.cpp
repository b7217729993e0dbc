// Cases `access` and `migration`: destination[i] = source[i] on arrays that were first touched by
// chosen processors. Bytes: each element is read and written, 2 x size, independent of its location
// (so that the rates of one figure compare, as in Yoshida 2024). No flops.
#include "arrays.hpp"
#include "memory.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/copy.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/residency.hpp"
#include "watari/memory/room.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace watari::cases {

namespace {

/// One array: its kind, and the processor that touches it first.
struct end {
    memory::kind kind;
    processor toucher;
};

struct arrays {
    array source;
    array destination;
};

processor gpu_of(processor who) { return who.is_gpu() ? who : gpu_number(0); }

end end_on(const access_parameters& p, processor::type side) {
    if (side == processor::type::cpu) return {p.kind.value_or(memory::kind::pinned), the_cpu};
    return {p.kind.value_or(memory::kind::device), gpu_of(p.processor)};
}

void require_explicit(const access_parameters& p) {
    if (p.kind) return;
    if (p.hint != memory::hint::none)
        throw unsupported("explicit memory stays where it is and takes no hint");
    if (!p.processor.is_gpu() &&
        (p.source == processor::type::gpu || p.destination == processor::type::gpu))
        throw unsupported("the CPU cannot address device memory");
}

residencies look_at(const arrays& data, memory::hint hint) {
    return {{"source", look(data.source, hint)}, {"destination", look(data.destination, hint)}};
}

/// Allocates both arrays, gives the advice, touches them and reads their residency.
arrays make_arrays(measure::trial& into, const placed_parameters& p, const end& from, const end& to,
                   memory::hint hint, processor gpu) {
    const std::size_t count = elements(p.size);
    const std::size_t bytes = count * sizeof(double);
    const memory::placement how{.device = gpu.number,
                                .numa_node = p.numa_node,
                                .thp = p.thp,
                                .page = p.page,
                                .oversubscribe = p.oversubscribe};
    const memory::demand demands[] = {{from.kind, bytes, how}, {to.kind, bytes, how}};
    memory::require_room(demands);

    arrays data{array(from.kind, count, how), array(to.kind, count, how)};
    memory::advise(data.source.block(), hint, gpu);
    // read-mostly is advice for memory that is only read: only the source gets it
    if (hint != memory::hint::read_mostly) memory::advise(data.destination.block(), hint, gpu);
    fill(data.source, from.toucher, source_seed);
    fill(data.destination, to.toucher, poison_seed);
    into.residency_before = look_at(data, hint);
    return data;
}

/// Prefetches both arrays to the executing processor if the hint is prefetch; records the time.
void follow_hint(measure::trial& into, memory::hint hint, const arrays& data, processor to) {
    if (hint != memory::hint::prefetch) return;
    const double start = measure::now();
    memory::prefetch(data.source.block(), to, nullptr);
    memory::prefetch(data.destination.block(), to, nullptr);
    device::synchronize(nullptr);
    into.quantities["prefetch"].value += measure::now() - start;
    into.quantities["prefetch"].unit = "s";
}

/// Times destination[i] = source[i] once.
void copy_once(measure::sampler& sample, const measure::copy_kernels& run, const arrays& data) {
    sample([&](stream_t stream, int) {
        run.copy(data.destination.data(), data.source.data(), data.source.size(), stream);
    });
}

/// Returns e.g. `cpu`, or `gpu-1`, `gpu-2` if a processor has several turns.
std::string phase_name(const std::vector<processor>& phases, std::size_t turn) {
    const auto begin = phases.begin();
    const auto here = begin + static_cast<std::ptrdiff_t>(turn);
    std::string name(here->is_gpu() ? "gpu" : "cpu");
    if (std::count(begin, phases.end(), *here) > 1)
        name.append("-").append(std::to_string(std::count(begin, here + 1, *here)));
    return name;
}

double on_cpu(const memory::residency& seen) {
    return static_cast<double>(seen.cpu) / static_cast<double>(seen.bytes);
}

/// Records e.g. `cpu_mapped.source.007`: the CPU-mapped fraction of part 7 of the source.
void note_map(measure::trial& into, const std::string& name, const array& data,
              const migration_parameters& p) {
    const bool all_touched = p.hint != memory::hint::mapped;
    std::size_t part = 0;
    for (const memory::residency& seen : memory::locate_parts(data.block(), all_touched, p.map)) {
        const std::string number = std::to_string(1000 + part++).substr(1);
        into.series["cpu_mapped." + name + "." + number].push_back(on_cpu(seen));
    }
}

/// Records the residency of the pages after a sample.
void note_fractions(measure::trial& into, const arrays& data, const migration_parameters& p) {
    for (const auto& [name, seen] : look_at(data, p.hint))
        into.series["cpu_mapped_fraction." + name].push_back(on_cpu(seen));
    if (p.map == 0) return;
    note_map(into, "source", data.source, p);
    note_map(into, "destination", data.destination, p);
}

/// Records the residency after a phase, for machines where reading it might move pages.
void note_phase(measure::trial& into, const arrays& data, memory::hint hint,
                const std::string& phase) {
    for (const auto& [name, seen] : look_at(data, hint))
        into.quantities["cpu_mapped_fraction." + name + "." + phase] = {on_cpu(seen), "1"};
}

}  // namespace

measure::trial access(const access_parameters& p) {
    require_explicit(p);
    const end from = end_on(p, p.source);
    const end to = end_on(p, p.destination);
    memory::require_access(memory::row(from.kind), p.processor);
    memory::require_access(memory::row(to.kind), p.processor);
    require_placement(p, {from.kind, to.kind});

    measure::trial result;
    prepare(result, p, p.processor);
    const arrays data = make_arrays(result, p, from, to, p.hint, gpu_of(p.processor));
    follow_hint(result, p.hint, data, p.processor);
    const measure::copy_kernels& run = kernels_on<measure::copy_kernels>(p.processor);
    measure::sampler sample(result, p.processor);
    for (std::size_t i = 0; i < p.samples; ++i) copy_once(sample, run, data);
    result.residency_after = look_at(data, p.hint);
    verify(result, data.destination, toucher(data.destination.block(), p.processor), source_seed);
    return result;
}

measure::trial migration(const migration_parameters& p) {
    const processor gpu = gpu_number(0);
    memory::require_access(memory::row(p.kind), gpu);
    require_placement(p, {p.kind});
    if (p.phases.empty()) throw usage_error("phases: at least one processor");

    measure::trial result;
    prepare(result, p, the_cpu);
    prepare(result, p, gpu);
    const arrays data = make_arrays(result, p, {p.kind, the_cpu}, {p.kind, gpu}, p.hint, gpu);
    // the CPU has just touched the source: if its residency is unknown, move_pages is forbidden
    // here
    const memory::residency& seen = result.residency_before.at("source");
    const bool reported = seen.untold < seen.bytes;
    for (std::size_t turn = 0; turn < p.phases.size(); ++turn) {
        const processor who = p.phases[turn];
        const std::size_t first = result.host_s.size();
        follow_hint(result, p.hint, data, who);
        const measure::copy_kernels& run = kernels_on<measure::copy_kernels>(who);
        measure::sampler sample(result, who);
        for (std::size_t i = 0; i < p.samples; ++i) {
            copy_once(sample, run, data);
            if (reported && p.look_at_all) note_fractions(result, data, p);
        }
        if (reported) note_phase(result, data, p.hint, phase_name(p.phases, turn));
        result.phases.push_back({phase_name(p.phases, turn), first, result.host_s.size()});
    }
    result.device_s.clear();  // the CPU's phases have none, and a series is complete or absent
    result.residency_after = look_at(data, p.hint);
    verify(result, data.destination, p.phases.back(), source_seed);
    return result;
}

}  // namespace watari::cases
