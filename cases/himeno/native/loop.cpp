#include "loop.hpp"

#include "overlap.hpp"
#include "stencil.hpp"
#include "watari/case/ranks.hpp"
#include "watari/case/timed_iteration.hpp"
#include "watari/core/error.hpp"
#include "watari/core/parallel/sums.hpp"
#include "watari/core/threads.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/room.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace watari::himeno {

namespace {

/// Launches each kernel once on small data, so that the first sample does not load code.
void warm_up(const parameters& p) {
    const grid few{5, 6, 8};
    const memory::kind kind = memory::local_kind(p.processor);
    const memory::placement how{.device = p.processor.number};
    const memory::buffer<float> arrays(kind, 14 * few.points(), how);
    const memory::buffer<double> gosa(kind, gosa_scratch(few), how);
    fields f{.size = few};
    float* next = arrays.data();
    for (float** array : pointers(f)) *array = std::exchange(next, next + few.points());
    const kernels& run = kernels_on<kernels>(p.processor);
    run.initialise(f, few, {0, 0, 0}, p.data, nullptr);
    run.step(f, p.kernel, gosa.data(), nullptr);
    run.update(f, nullptr);
    run.fingerprint(f, few, {0, 0, 0}, nullptr);
}

/// Runs iterations on one processor, without the clock.
class sweep {
public:
    sweep(const part& p, double* gosa, stream_t stream)
        : part_(&p), run_(&kernels_on<kernels>(p.processor)), gosa_(gosa), stream_(stream) {
        if (p.overlap) overlap_.emplace(p, gosa, stream);
    }

    /// Number of summands of gosa.
    std::size_t summands() const { return overlap_ ? overlap::parts : 1; }

    void operator()(fields& f, double* summands) {
        if (overlap_) return overlap_->iterate(f, summands);
        const part& p = *part_;
        if (p.form == form::fused) {
            run_->fused(f, p.kernel, gosa_, stream_);
            swap(f);
        } else {
            run_->step(f, p.kernel, gosa_, stream_);
            run_->update(f, stream_);
        }
        memory::copy(p.processor, summands, gosa_, sizeof(double), stream_);
        if (p.exchanged != nullptr) p.exchanged->exchange(f.p, stream_);
    }

private:
    const part* part_;
    const kernels* run_;
    double* gosa_;
    stream_t stream_;
    std::optional<overlap> overlap_;
};

/// Leaves the iterations before the clock out of every series.
void drop_rehearsal(measure::trial& of, const part& p) {
    const auto drop = [&](std::vector<double>& series) {
        if (!series.empty()) series.erase(series.begin(), series.begin() + p.rehearsal);
    };
    if (p.rehearsal == 0) return;
    of.first_sample += std::accumulate(of.host_s.begin(), of.host_s.begin() + p.rehearsal, 0.0);
    for (std::vector<double>* times : {&of.host_s, &of.device_s}) drop(*times);
    for (auto& [name, series] : of.series) drop(series);
}

}  // namespace

std::size_t gosa_scratch(grid size) {
    const std::size_t most = cpu::most_partial_sums(size);
    return cpu::sum_scratch(most) + most;
}

std::array<float**, 14> pointers(fields& f) {
    return {&f.p,    &f.wrk2, &f.wrk1, &f.bnd,  &f.a[0], &f.a[1], &f.a[2],
            &f.a[3], &f.b[0], &f.b[1], &f.b[2], &f.c[0], &f.c[1], &f.c[2]};
}

void swap(fields& f) {
    std::swap(f.p, f.wrk2);
    std::swap(f.there[0], f.there[1]);
}

std::array<fields, 2> both_ways(const fields& f) {
    std::array<fields, 2> both{f, f};
    swap(both[1]);
    return both;
}

void prepare(measure::trial& into, const part& p, std::span<const memory::kind> kinds) {
    const memory::placement how{.device = p.processor.number, .oversubscribe = p.oversubscribe};
    const std::size_t bytes = 14 * p.size.points() * sizeof(float);
    const std::size_t sums = gosa_scratch(p.size) * sizeof(double);
    const auto refuse = [&] {
        std::vector<memory::demand> demands;
        for (const memory::kind kind : kinds) {
            memory::require_access(memory::row(kind),
                                   kind == memory::kind::pageable ? the_cpu : p.processor);
            demands.push_back({kind, (bytes + sums) * cases::ranks_beside(p.ranks, kind), how});
        }
        memory::require_room(demands);
        cpu::set_threads(p.threads);
        warm_up(p);
    };
    p.ranks == nullptr ? refuse() : p.ranks->together(refuse);
    const cpu::team team = cpu::current_team();
    into.quantities["threads"] = {static_cast<double>(team.threads), "1"};
    into.quantities["threads_pinned"] = {team.pinned ? 1.0 : 0.0, "1"};
}

void initialise(const fields& f, const part& p) {
    const bool by_gpu = p.init == processor::type::gpu;
    const processor who = by_gpu ? p.processor : the_cpu;
    kernels_on<kernels>(who).initialise(f, p.whole, p.origin, p.data, nullptr);
    if (by_gpu) device::synchronize(nullptr);
}

void finish_iteration(measure::trial& into, const part& p, std::size_t iteration) {
    if (p.ranks == nullptr) return;
    double& gosa = into.series["gosa"][iteration];
    gosa = p.ranks->sum(gosa);
    if (p.exchanged->by_host()) into.series["halo_s"].push_back(p.exchanged->seconds());
}

void iterate(measure::trial& into, const part& p, fields& f, double* gosa, bool migrates,
             stream_t stream) {
    const auto count = static_cast<std::size_t>(p.rehearsal + p.iterations);
    const memory::kind kind = memory::host_kind(p.processor);
    sweep next(p, gosa, stream);
    const std::size_t each = next.summands();
    const memory::buffer<double> history(kind, count * each, {.device = p.processor.number});
    std::fill_n(history.data(), history.size(), 0);
    into.series["gosa"].resize(count);
    cases::timed_iteration sample(into, p.processor, stream);
    for (std::size_t n = 0; n < count; ++n) {
        double* summands = history.data() + n * each;
        sample([&] { next(f, summands); },
               [&] {
                   into.series["gosa"][n] = std::accumulate(summands, summands + each, 0.0);
                   finish_iteration(into, p, n);
               });
    }
    summarise(into, p, migrates);
}

void summarise(measure::trial& into, const part& p, bool migrates) {
    drop_rehearsal(into, p);
    const double seconds = std::accumulate(into.host_s.begin(), into.host_s.end(), 0.0);
    into.quantities["loop"] = {seconds, "s"};
    into.quantities["gosa_last"] = {into.series["gosa"].back(), "1"};
    cases::name_phases(into, migrates);
}

void read_result(measure::trial& into, const part& p, const fields& f) {
    std::uint64_t seen = kernels_on<kernels>(the_cpu).fingerprint(f, p.whole, p.origin, nullptr);
    if (p.ranks != nullptr) seen = p.ranks->sum(seen) % (std::uint64_t{1} << 53);
    into.quantities["fingerprint"] = {static_cast<double>(seen), "1"};
}

}  // namespace watari::himeno
