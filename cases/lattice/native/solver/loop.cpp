#include "loop.hpp"

#include "record.hpp"
#include "residual.hpp"
#include "watari/case/ranks.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/clock.hpp"
#include "watari/memory/buffer.hpp"
#include "watari/memory/move.hpp"
#include "watari/memory/room.hpp"
#include "work.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

namespace watari::lattice {

namespace {

constexpr double drift = 100;          // largest accepted true residual, in multiples of the limit
constexpr double least_single = 1e-6;  // tolerance that float can reach

double tolerance_of(const parameters& p) {
    return p.arithmetic == arithmetic::single_precision ? least_single : tolerance;
}

/// Times the steps of a solver, which calls it before the first step and after each step.
class step_clock {
public:
    step_clock(measure::trial& into, const parameters& p) : trial_(&into), p_(&p) {}

    /// krylov::stopping::stop
    bool operator()(std::span<const krylov::report> now) {
        if (p_->processor.is_gpu()) events_.emplace_back().record(nullptr);
        const double end = measure::now();
        if (steps_++ == 0) {
            trial_->first_sample = end;
        } else {
            trial_->host_s.push_back(end - last_);
            trial_->series["residual"].push_back(now[0].recursive_residual / now[0].norm_b);
        }
        last_ = measure::now();
        return now[0].applications >= p_->iterations;
    }

    void finish() {
        for (std::size_t i = 1; i < events_.size(); ++i)
            trial_->device_s.push_back(device::event::seconds(events_[i - 1], events_[i]));
    }

private:
    measure::trial* trial_;
    const parameters* p_;
    std::deque<device::event> events_;
    std::size_t steps_ = 0;
    double last_ = 0;
};

template <class Real>
void make_clover(measure::trial& into, const parameters& p, const fields& f, double* sums) {
    const double start = measure::now();
    kernels_on<kernels<Real>>(p.processor)
        .make_clover(geometry_of(p), p.links / 2, numbers<Real>(f.links), numbers<Real>(f.clover),
                     sums, nullptr);
    into.quantities["log_det"] = {over_ranks(p, memory::read_back(p.processor, sums)), "1"};
    into.quantities["clover_s"] = {measure::now() - start, "s"};
}

template <class Real>
void measure_hop(measure::trial& into, const parameters& p, const fields& f,
                 const matrix_operator<Real>& matrix) {
    const complex<Real>* const x = numbers<Real>(f.solution);
    matrix.hop(x, nullptr);
    memory::wait(p.processor);
    if (p.part) p.part->ranks->barrier();
    const double start = measure::now();
    for (int i = 0; i < hops_timed; ++i) matrix.hop(x, nullptr);
    memory::wait(p.processor);
    record_hop(into, p, (measure::now() - start) / hops_timed);
}

template <class Real>
krylov::reports run_solver(const parameters& p, const fields& f, const work_areas& areas,
                           const matrix_operator<Real>& matrix, const krylov::stopping& when) {
    krylov::problem<complex<Real>> given = problem_of<Real>(f, p);
    given.a = matrix.as_operator();
    const krylov::workspace memory(areas.solver, areas.solver_bytes);
    if constexpr (std::is_same_v<Real, double>)
        if (p.arithmetic == arithmetic::mixed) {
            const matrix_operator<float> low(p, areas.narrow);
            return krylov::bicgstab_mixed(given, {.a = low.as_operator()}, memory, when);
        }
    return krylov::bicgstab(given, memory, when);
}

/// Computes the residuals apart from the solver, whose vectors are no longer needed, and records
/// the largest one. A system above the solver's limit is wrong.
template <class Real>
void verify(measure::trial& into, const parameters& p, const fields& f, const work_areas& areas,
            const operands<Real>& of) {
    krylov::arena free(krylov::workspace(areas.solver, areas.solver_bytes));
    auto* const made = free.take<complex<Real>>(p.rhs * p.size.half() * spinor);
    double most = 0;
    for (const double each :
         plain_residuals<Real>(p, of, numbers<Real>(f.source), numbers<Real>(f.solution), made)) {
        if (!(each <= drift * tolerance_of(p))) ++into.wrong_elements;
        most = each <= most ? most : each;  // keeps NaN
    }
    into.quantities["plain_residual"] = {most, "1"};
}

/// Copies the operator in float.
void narrow(const parameters& p, const work_areas& areas) {
    const auto& run = kernels_on<kernels<float>>(p.processor);
    const std::size_t half = p.size.half();
    run.narrow(8 * half * (p.links / 2), areas.wide.links,
               const_cast<complex<float>*>(areas.narrow.links), nullptr);
    run.narrow(2 * half * packed, areas.wide.clover,
               const_cast<complex<float>*>(areas.narrow.clover), nullptr);
}

template <class Real>
void solve_in(measure::trial& into, const parameters& p, const fields& f,
              const operands<Real> work_areas::*own) {
    krylov::arena from(krylov::workspace(f.work, work_bytes(p)));
    const work_areas areas(f, p, from);
    make_clover<Real>(into, p, f, areas.sums);
    if (p.arithmetic == arithmetic::mixed) narrow(p, areas);
    const matrix_operator<Real> matrix(p, areas.*own);
    step_clock clock(into, p);
    const krylov::stopping when{.relative = tolerance_of(p),
                                .iterations = p.iterations,
                                .stagnation = 0,
                                .drift = drift,
                                .stop = std::ref(clock)};
    const krylov::reports ended = run_solver(p, f, areas, matrix, when);
    clock.finish();
    record_solve(into, ended);
    verify<Real>(into, p, f, areas, areas.*own);
    measure_hop(into, p, f, matrix);
}

template <class Real>
void initialise_in(measure::trial& into, const fields& f, const parameters& p) {
    const auto& run = kernels_on<kernels<Real>>(the_cpu);
    const geometry where = geometry_of(p);
    const std::size_t vector = p.size.half() * spinor;
    run.draw_links(where, p.links / 2, numbers<Real>(f.links), nullptr);
    for (std::size_t s = 0; s < p.rhs; ++s)
        run.draw_source(where, 0, numbers<Real>(f.source) + s * vector, nullptr);
    std::vector<double> sums(scratch(p));
    run.sum_links(where, p.links / 2, numbers<Real>(f.links), sums.data(), nullptr);
    for (double& sum : std::span(sums).first(3)) sum = over_ranks(p, sum);
    const auto sites = static_cast<double>(p.all_sites());
    into.quantities["plaquette"] = {sums[0] / 18 / sites, "1"};
    into.quantities["links_re"] = {sums[1], "1"};
    into.quantities["links_im"] = {sums[2], "1"};
}

/// Solves on a few sites, so that no sample contains a kernel's first launch.
void warm_up(parameters p) {
    p.size = {2, 2, 4, 8};
    p.part = nullptr;
    p.overlap = false;
    p.iterations = 4;
    const auto kind = p.processor.is_gpu() ? memory::kind::managed : memory::kind::pageable;
    fields f;
    std::vector<memory::buffer<std::byte>> held;
    for (const auto& [pointer, bytes] : arrays(f, p))
        *pointer =
            held.emplace_back(kind, bytes, memory::placement{.device = p.processor.number}).data();
    measure::trial ignored;
    initialise(ignored, f, p);
    try {
        solve(ignored, p, f, false);
    } catch (const error&) {  // it does not converge in so few steps
    }
}

/// Throws if the trial cannot run here; sets the threads and warms up.
void refuse(const parameters& p, std::span<const memory::kind> kinds) {
    const memory::placement how{.device = p.processor.number, .oversubscribe = p.oversubscribe};
    fields none;
    std::vector<memory::demand> demands;
    for (const memory::kind kind : kinds) {
        memory::require_access(memory::row(kind),
                               kind == memory::kind::pageable ? the_cpu : p.processor);
        for (const auto& [pointer, bytes] : arrays(none, p))
            demands.push_back(
                {kind, bytes * cases::ranks_beside(p.part ? p.part->ranks : nullptr, kind), how});
    }
    memory::require_room(demands);
    cpu::set_threads(p.threads);
    warm_up(p);
}

}  // namespace

void prepare(measure::trial& into, const parameters& p, std::span<const memory::kind> kinds) {
    p.part ? p.part->ranks->together([&] { refuse(p, kinds); }) : refuse(p, kinds);
    const cpu::team team = cpu::current_team();
    into.quantities["threads"] = {static_cast<double>(team.threads), "1"};
    fields none;
    std::size_t bytes = 0;
    for (const array& each : arrays(none, p)) bytes += each.second;
    into.quantities["state_bytes_per_site"] = {
        static_cast<double>(bytes) / static_cast<double>(p.size.sites()), "B"};
}

void initialise(measure::trial& into, const fields& f, const parameters& p) {
    p.arithmetic == arithmetic::single_precision ? initialise_in<float>(into, f, p)
                                                 : initialise_in<double>(into, f, p);
}

void solve(measure::trial& into, const parameters& p, const fields& f, bool migrates) {
    p.arithmetic == arithmetic::single_precision ? solve_in<float>(into, p, f, &work_areas::narrow)
                                                 : solve_in<double>(into, p, f, &work_areas::wide);
    summarise(into, p, migrates);
}

void read_result(measure::trial& into, const parameters& p, const fields& f) {
    std::vector<double> sums(scratch(p));
    const std::size_t length = p.size.half() * spinor;
    double least = INFINITY, most = 0;
    for (std::size_t s = 0; s < p.rhs; ++s) {
        const std::size_t first = s * length;
        p.arithmetic == arithmetic::single_precision
            ? kernels_on<kernels<float>>(the_cpu).norm(length, numbers<float>(f.solution) + first,
                                                       sums.data(), nullptr)
            : kernels_on<kernels<double>>(the_cpu).norm(length, numbers<double>(f.solution) + first,
                                                        sums.data(), nullptr);
        const double norm = over_ranks(p, sums[0]);
        least = std::min(least, norm);
        most = std::max(most, norm);
    }
    into.quantities["norm2"] = {most, "1"};
    if (least != most) throw error("equal right-hand sides have solutions of different norms");
}

}  // namespace watari::lattice
