#include "loop.hpp"

#include "inspector.hpp"
#include "radiation/people.hpp"
#include "touch/touch.hpp"
#include "watari/case/ranks.hpp"
#include "watari/case/timed_iteration.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/residency.hpp"
#include "watari/memory/room.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace watari::les {

namespace {

using std::to_string;

constexpr std::uint64_t fingerprints = std::uint64_t{1} << 53;  ///< a double holds each

/// Calls work(Real) with the precision of a trial.
template <class Work>
void in_precision(const parameters& p, const Work& work) {
    p.precision == precision::single_precision ? work(float{}) : work(double{});
}

/// Records the speed in cells per second over whole periods of N steps, or over all steps if there
/// is no whole period.
void summarise(measure::trial& into, const parameters& p, bool migrates) {
    if (p.others != nullptr) p.others->ranks().maximum(into.host_s);
    const auto every = static_cast<std::size_t>(p.every);
    const std::size_t periods = into.host_s.size() / every;
    const std::size_t counted = periods > 0 ? periods * every : into.host_s.size();
    double seconds = 0, all = 0;
    for (std::size_t n = 0; n < into.host_s.size(); ++n) {
        all += into.host_s[n];
        if (n < counted) seconds += into.host_s[n];
    }
    const auto cells = static_cast<double>(p.whole.cells());
    into.quantities["loop"] = {all, "s"};
    into.quantities["cells_per_s"] = {cells * static_cast<double>(counted) / seconds, "1/s"};
    into.quantities["simulated"] = {p.dt * static_cast<double>(into.host_s.size()), "s"};
    cases::name_phases(into, migrates);
}

template <class Real>
void record(measure::trial& into, const parameters& p, const condition& last,
            const touch<Real>& touches) {
    const auto cells = static_cast<double>(p.whole.cells());
    into.quantities["energy"] = {last.energy / cells, "m2/s2"};
    into.quantities["mean_theta"] = {last.theta / last.cells, "K"};
    if (p.touched == touched::none) return;
    into.quantities["heat_to_air"] = {touches.heat().to_air, "W"};
    if (const radiosity* exchange = touches.exchange()) watari::les::record(into, *exchange);
}

/// Records what trees took and gave, and hands over the radiation on people.
template <class Real>
void record_trees(measure::trial& into, const parameters& p, const leaf_work& work,
                  const touch<Real>& touches) {
    if (p.has_trees()) into.quantities["tree_drag"] = {work.power, "W"};
    if (p.transpires()) {
        const leaf_budget& of = touches.leaves();
        into.quantities["tree_light"] = {of.light, "W"};
        into.quantities["tree_long_waves"] = {of.long_waves, "W"};
        into.quantities["tree_heat"] = {of.heat, "W"};
    }
    const radiosity* const exchange = touches.exchange();
    if (p.people && exchange != nullptr && exchange->begun())
        p.people(light_on_people(p, facet_list(p), *exchange));
}

/// Records the share of the shortest waves in the energy, and with mist the fingerprint of q and l;
/// hands both over.
template <class Real>
void record_structure(measure::trial& into, const parameters& p, const flow_arguments<Real>& flow) {
    const auto& survey = kernels_on<survey_kernels<Real>>(p.processor);
    wave_energy seen = survey.waves(flow.grid, flow.now, flow.flags, nullptr);
    const auto* const ranks = p.others == nullptr ? nullptr : &p.others->ranks();
    if (ranks != nullptr) seen = {ranks->sum(seen.shortest), ranks->sum(seen.all)};
    into.quantities["grid_scale_share"] = {seen.all > 0 ? seen.shortest / seen.all : 0, "1"};
    if (!p.is_moist()) return;
    std::uint64_t sum = 0;
    for (unsigned n = 0; n < 2; ++n)
        sum += (n + 1) * survey.fingerprint(p.grid, p.whole, flow.wet[n], nullptr);
    if (ranks != nullptr) sum = ranks->sum(sum);
    into.quantities["mist_fingerprint"] = {static_cast<double>(sum % fingerprints), "1"};
    if (!p.wet_result) return;
    std::vector<Real> wet[2];
    for (unsigned n = 0; n < 2; ++n)
        wet[n] = memory::read_back(p.processor, flow.wet[n], p.grid.points());
    p.wet_result(
        {reinterpret_cast<std::byte*>(wet[0].data()), reinterpret_cast<std::byte*>(wet[1].data())});
}

/// Records the share of u v w theta that the CPU has mapped, if pages of a GPU's array migrate. A
/// machine whose GPU reads the CPU's page tables records nothing.
class mapped_share {
public:
    mapped_share(const parameters& p, bool migrates)
        : moves_(migrates && p.processor.is_gpu() &&
                 !device::has(device::attribute::pageable_memory_access_uses_host_page_tables,
                              p.processor.number)),
          bytes_(p.grid.points() * p.real_bytes()) {}

    template <class Real>
    void look(measure::trial& into, const char* when, const motion<Real>& now) const {
        if (!moves_) return;
        double sum = 0;
        for (unsigned n = 0; n < 4; ++n) sum += memory::cpu_mapped_fraction(now[n], bytes_);
        into.series[std::string("cpu_mapped_fraction.") + when].push_back(sum / 4);
    }

private:
    bool moves_;
    std::size_t bytes_;
};

/// The share of halo exchanges and sums over ranks in the time of a step. Measured in each step
/// with a touch and in the last step, so that the other steps are not slowed down.
class exchange_share {
public:
    explicit exchange_share(const parameters& p) : others_(p.others), gpu_(p.processor.is_gpu()) {}

    void watch(bool now) {
        watched_ = now && others_ != nullptr;
        if (others_ != nullptr) others_->watch(watched_);
    }
    template <class Work>
    void step(const Work& work) {
        const double start = measure::now();
        work();
        step_ = measure::now() - start;
    }
    void add(const measure::trial& of) {
        if (!watched_) return;
        steps_ += 1;
        exchanged_ += others_->exchanged();
        all_ += gpu_ ? of.device_s.back() : step_;
    }
    void record(measure::trial& into) const {
        if (others_ == nullptr || steps_ == 0) return;  // the trial ended before a watched step
        const double exchanged = others_->ranks().sum(exchanged_), all = others_->ranks().sum(all_);
        into.quantities["exchange_share"] = {exchanged / all, "1"};
        into.quantities["exchange_s"] = {exchanged / steps_ / others_->ranks().size(), "s"};
    }

private:
    neighbours* others_;
    bool gpu_, watched_ = false;
    double step_ = 0, steps_ = 0, exchanged_ = 0, all_ = 0;
};

template <class Real>
void simulate_in(measure::trial& into, const parameters& p, const fields& f, const reach& by,
                 bool migrates) {
    simulation<Real> air(f, p);
    touch<Real> touches(f, p, by);
    inspector<Real> survey(into, p);
    air.start(nullptr);
    survey.start(air.flow(), air.leaves());
    if (p.settled) touches.settle(air.flow().now, nullptr);
    const mapped_share mapped(p, migrates);
    cases::timed_iteration sample(into, p.processor, nullptr);
    exchange_share exchanges(p);
    for (int n = 1; n <= p.steps; ++n) {
        touch_times took;
        const bool touched_now = n % p.every == 0;
        exchanges.watch(touched_now || n == p.steps);
        mapped.look(into, "before_step", air.flow().now);
        sample([&] { exchanges.step([&] { air.step(nullptr); }); },
               [&] {
                   survey.step(touches.warming(), touches.vapour());  // of the last touch
                   if (touched_now) took = touches(air.flow().now, nullptr);
               });
        mapped.look(into, "after_step", air.flow().now);
        into.series["cpu_s"].push_back(took.cpu);
        into.series["move_s"].push_back(took.move);
        into.series["gather_s"].push_back(took.gather);
        if (touches.exchange()) into.series["radiation_s"].push_back(took.radiation);
        if (p.others != nullptr) into.series["halo_s"].push_back(p.others->seconds());
        exchanges.add(into);
        if (p.progress) p.progress(n, p.dt * n);
        if (touched_now && p.planes && !touches.planes().empty())
            p.planes(n, reinterpret_cast<const std::byte*>(touches.planes().data()));
        // not after a touch: data that it took to the CPU must return in the next step, which is
        // timed
        const bool before_touch = !touched_now && (n + 1) % p.every == 0;
        if ((before_touch || n == p.steps) && !survey.sound(air.flow(), n)) break;
    }
    record(into, p, survey.measure(air.flow()), touches);
    survey.record_budgets();
    record_trees(into, p, survey.work_of_leaves(air.flow()), touches);
    record_structure(into, p, air.flow());
    exchanges.record(into);
    summarise(into, p, migrates);
}

void warm_up(const parameters& p) {
    const auto kind = p.processor.is_gpu() ? memory::kind::managed : memory::kind::pageable;
    fields f;
    std::vector<memory::buffer<std::byte>> held;
    for (const auto& [pointer, bytes] : arrays(f, p))
        *pointer =
            held.emplace_back(kind, bytes, memory::placement{.device = p.processor.number}).data();
    initialise(f, p);
    measure::trial ignored;
    simulate(ignored, p, f, {}, false);
}

/// Throws unsupported if a part has too many elements. Kernels of a GPU count elements by 31 bits
/// (grid/loops.hpp), the list of the cells at facets by 32.
void require_countable(const parameters& p) {
    const std::size_t most = p.processor.is_gpu() ? std::numeric_limits<std::int32_t>::max()
                                                  : std::numeric_limits<std::uint32_t>::max();
    if (p.grid.points() > most)
        throw unsupported("grid: " + to_string(p.grid.points()) +
                          " elements of an array with its halo; a rank on the " +
                          (p.processor.is_gpu() ? "GPU" : "CPU") + " takes " + to_string(most) +
                          " at most: take more ranks");
}

void refuse(const parameters& p, std::span<const memory::kind> kinds) {
    require_countable(p);
    const memory::placement how{.device = p.processor.number, .oversubscribe = p.oversubscribe};
    fields none;
    std::vector<memory::demand> demands;
    const auto* ranks = p.others == nullptr ? nullptr : &p.others->ranks();
    for (const memory::kind kind : kinds) {
        memory::require_access(memory::row(kind),
                               kind == memory::kind::pageable ? the_cpu : p.processor);
        for (const auto& [pointer, bytes] : arrays(none, p))
            demands.push_back({kind, bytes * cases::ranks_beside(ranks, kind), how});
    }
    memory::require_room(demands);
    cpu::set_threads(p.threads);
    warm_up(first_step_of(p));
}

}  // namespace

parameters first_step_of(parameters p) {
    p.whole = {32, 16, 16};
    if (!p.mist.empty()) p.mist = {0, 0, 8, 1e-3};
    if (p.has_trees()) p.trees = {0, 0, 4, 0.1};
    p.settled = false;
    p.grid = p.whole_grid();
    p.others = nullptr;
    p.progress = nullptr;
    p.planes = nullptr;
    p.result = nullptr;
    p.wet_result = nullptr;
    p.people = nullptr;
    p.view_folder.clear();
    p.heights.assign(32 * 16, 0);
    p.heights[40] = 3;
    p.steps = p.every = 1;
    p.dt = std::min(p.dt, 0.05 * std::min({p.spacing[0], p.spacing[1], p.spacing[2]}));
    return p;
}

void prepare(measure::trial& into, const parameters& p, std::span<const memory::kind> kinds) {
    p.others == nullptr ? refuse(p, kinds) : p.others->ranks().together([&] { refuse(p, kinds); });
    into.quantities["threads"] = {static_cast<double>(cpu::current_team().threads), "1"};
}

void initialise(const fields& f, const parameters& p) {
    in_precision(p, [&]<class Real>(Real) {
        build_city<Real>(f, p);
        first_flow<Real>(f, p);
    });
}

void simulate(measure::trial& into, const parameters& p, const fields& f, const reach& by,
              bool migrates) {
    in_precision(p, [&]<class Real>(Real) { simulate_in<Real>(into, p, f, by, migrates); });
}

void read_result(measure::trial& into, const parameters& p, std::byte* const (&flow)[4]) {
    std::uint64_t sum = 0;
    in_precision(p, [&]<class Real>(Real) {
        for (unsigned n = 0; n < 4; ++n)
            sum += (n + 1) * kernels_on<survey_kernels<Real>>(the_cpu).fingerprint(
                                 p.grid, p.whole, numbers<Real>(flow[n]), nullptr);
    });
    if (p.others != nullptr) sum = p.others->ranks().sum(sum);
    into.quantities["fingerprint"] = {static_cast<double>(sum % fingerprints), "1"};
    if (p.result) p.result(flow);
}

}  // namespace watari::les
