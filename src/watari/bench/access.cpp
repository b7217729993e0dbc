// Cases `access` and `migration`: destination[i] = source[i] on arrays that were first touched by
// chosen processors. Bytes: each element is read and written, 2 x size, wherever it lies (so that
// the rates of one figure compare, as in Yoshida 2024). No flops.
#include "watari/bench/arrays.hpp"
#include "watari/bench/cases.hpp"
#include "watari/bench/kernels.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/sampler.hpp"
#include "watari/memory/residency.hpp"
#include "watari/memory/room.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace watari::bench {

namespace {

memory::kind kind_at(const access_parameters& p, processor place) {
    if (p.kind) return *p.kind;
    return place.is_gpu() ? memory::kind::device : memory::kind::pinned;
}

void require_explicit(const access_parameters& p) {
    if (p.kind) return;
    if (p.hint != memory::hint::none)
        throw unsupported("explicit memory stays where it is and takes no hint");
    if (!p.processor.is_gpu() && (p.source.is_gpu() || p.destination.is_gpu()))
        throw unsupported("the CPU cannot address device memory");
}

/// Moves arrays to the executing processor if that is the hint; the time it took goes on record.
void follow_hint(measure::trial& into, memory::hint hint, const array& source,
                 const array& destination, processor to) {
    if (hint != memory::hint::prefetch) return;
    const double start = measure::now();
    memory::prefetch(source.block(), to, nullptr);
    memory::prefetch(destination.block(), to, nullptr);
    device::synchronize(nullptr);
    into.quantities["prefetch"].value += measure::now() - start;
    into.quantities["prefetch"].unit = "s";
}

/// `cpu`, or `gpu-1`, `gpu-2` where a processor has several turns.
std::string phase_name(const std::vector<processor>& phases, std::size_t turn) {
    const auto begin = phases.begin();
    const auto here = begin + static_cast<std::ptrdiff_t>(turn);
    std::string name(here->is_gpu() ? "gpu" : "cpu");
    if (std::count(begin, phases.end(), *here) > 1)
        name.append("-").append(std::to_string(std::count(begin, here + 1, *here)));
    return name;
}

/// Read-mostly is advice for what is read alone: only the source gets it.
void advise(memory::hint hint, const array& source, const array& destination, processor gpu) {
    memory::advise(source.block(), hint, gpu);
    if (hint != memory::hint::read_mostly) memory::advise(destination.block(), hint, gpu);
}

processor gpu_of(processor who) { return who.is_gpu() ? who : gpu_number(0); }

}  // namespace

measure::trial access(const access_parameters& p) {
    const std::size_t count = elements(p.size);
    require_explicit(p);
    const memory::kind source_kind = kind_at(p, p.source);
    const memory::kind destination_kind = kind_at(p, p.destination);
    for (const memory::kind kind : {source_kind, destination_kind})
        memory::require_access(memory::row(kind), p.processor);
    const memory::placement how{.device = gpu_of(p.processor).number,
                                .oversubscribe = p.oversubscribe};
    const memory::demand demands[] = {{source_kind, count * sizeof(double), how},
                                      {destination_kind, count * sizeof(double), how}};
    memory::require_room(demands);

    measure::trial result;
    prepare(result, p, p.processor);
    const array source(source_kind, count, how);
    const array destination(destination_kind, count, how);
    advise(p.hint, source, destination, gpu_of(p.processor));
    fill(source, p.source, source_seed);
    fill(destination, p.destination, poison_seed);
    result.residency_before = {{"source", look(source, p.hint)},
                               {"destination", look(destination, p.hint)}};
    result.bytes_per_sample = 2.0 * static_cast<double>(count * sizeof(double));

    follow_hint(result, p.hint, source, destination, p.processor);
    const kernels& run = kernels_on(p.processor);
    measure::sampler sample(result, p.processor);
    for (std::size_t i = 0; i < p.samples; ++i)
        sample([&](stream_t stream, int) {
            run.copy(destination.data(), source.data(), count, stream);
        });
    result.residency_after = {{"source", look(source, p.hint)},
                              {"destination", look(destination, p.hint)}};
    verify(result, destination, toucher(destination.block(), p.processor), source_seed);
    return result;
}

measure::trial migration(const migration_parameters& p) {
    const std::size_t count = elements(p.size);
    const processor gpu = gpu_number(0);
    const memory::placement how{.oversubscribe = p.oversubscribe};
    memory::require_access(memory::row(p.kind), gpu);
    const memory::demand demands[] = {{p.kind, 2 * count * sizeof(double), how}};
    memory::require_room(demands);

    measure::trial result;
    prepare(result, p, the_cpu);
    prepare(result, p, gpu);
    const array source(p.kind, count, how);
    const array destination(p.kind, count, how);
    advise(p.hint, source, destination, gpu);
    fill(source, the_cpu, source_seed);
    fill(destination, gpu, poison_seed);
    result.residency_before = {{"source", look(source, p.hint)},
                               {"destination", look(destination, p.hint)}};
    result.bytes_per_sample = 2.0 * static_cast<double>(count * sizeof(double));

    auto& source_fraction = result.series["cpu_mapped_fraction.source"];
    auto& destination_fraction = result.series["cpu_mapped_fraction.destination"];
    const auto on_cpu = [&](const array& data) {
        const memory::residency seen = look(data, p.hint);
        return static_cast<double>(seen.cpu) / static_cast<double>(seen.bytes);
    };
    for (std::size_t turn = 0; turn < p.phases.size(); ++turn) {
        const processor who = p.phases[turn];
        const std::size_t first = result.host_s.size();
        follow_hint(result, p.hint, source, destination, who);
        const kernels& run = kernels_on(who);
        measure::sampler sample(result, who);
        for (std::size_t i = 0; i < p.samples; ++i) {
            sample([&](stream_t stream, int) {
                run.copy(destination.data(), source.data(), count, stream);
            });
            source_fraction.push_back(on_cpu(source));
            destination_fraction.push_back(on_cpu(destination));
        }
        result.phases.push_back({phase_name(p.phases, turn), first, result.host_s.size()});
    }
    result.device_s.clear();  // the CPU's phases have none, and a series is whole or not there
    result.residency_after = {{"source", look(source, p.hint)},
                              {"destination", look(destination, p.hint)}};
    verify(result, destination, p.phases.back(), source_seed);
    return result;
}

}  // namespace watari::bench
