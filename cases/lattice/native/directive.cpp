#include "directive.hpp"

#include "ranks/carried.hpp"
#include "solver/loop.hpp"
#include "solver/record.hpp"
#include "styles.hpp"
#include "watari/case/ranks.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace watari::lattice {

namespace {

using directive::number;

/// The data that the callbacks of a style get.
struct call {
    measure::trial trial;
    parameters p;
    std::optional<device::stream> exchange_stream;  ///< for styles that have none, between GPUs
    bool begun = false;
    double last = 0;  ///< time at which the last sample ended
};

std::byte* bytes_of(const number* of) {
    return reinterpret_cast<std::byte*>(const_cast<number*>(of));
}

/// Fills links, source and F^-1 on the CPU, in the layout of the processor.
void fill(void* caller, const directive::inputs* of) {
    call& one = *static_cast<call*>(caller);
    const parameters& p = one.p;
    fields f;
    f.links = bytes_of(of->links);
    f.source = bytes_of(of->source);
    initialise(one.trial, f, p);
    std::vector<double> sums(scratch(p));
    const double start = measure::now();
    kernels_on<kernels<double>>(the_cpu).make_clover(geometry_of(p), directive::link, of->links,
                                                     of->clover, sums.data(), nullptr);
    one.trial.quantities["log_det"] = {over_ranks(p, sums[0]), "1"};
    one.trial.quantities["clover_s"] = {measure::now() - start, "s"};
}

void read(void* caller, const number* solution) {
    call& one = *static_cast<call*>(caller);
    fields f;
    f.solution = bytes_of(solution);
    read_result(one.trial, one.p, f);
}

int end_step(void* caller, double residual) {
    call& one = *static_cast<call*>(caller);
    const double now = measure::now();
    if (one.begun) {
        one.trial.host_s.push_back(now - one.last);
        one.trial.series["residual"].push_back(residual);
    } else {
        one.trial.first_sample = now;
    }
    one.begun = true;
    one.last = measure::now();
    return 2 * one.trial.host_s.size() >= one.p.iterations;
}

void total(void* caller, double* sums, unsigned count) {
    const parameters& p = static_cast<call*>(caller)->p;
    if (p.part) p.part->ranks->sum(std::span(sums, count));
}

void exchange(void* caller, const number* sent, number* arrived, void* stream) {
    call& one = *static_cast<call*>(caller);
    if (stream == nullptr && one.p.part->carrier.is_gpu()) {
        // urgent: half spinors pass the kernels of inner sites
        if (!one.exchange_stream) one.exchange_stream.emplace(device::priority::urgent);
        stream = one.exchange_stream->get();
    }
    carry_half_spinors(one.p, sent, arrived, static_cast<stream_t>(stream));
}

void arrive(void* caller) {
    const call& one = *static_cast<call*>(caller);
    if (one.exchange_stream) device::synchronize(one.exchange_stream->get());
}

directive::answer run(call& one, directive::function style) {
    const parameters& p = one.p;
    const directive::request request{
        .where = geometry_of(p),
        .split = p.part ? p.part->split : extents{1, 1, 1, 1},
        .relative = tolerance,
        .applications = p.iterations,
        .hops = hops_timed,
        .gpu = p.processor.is_gpu() ? p.processor.number : directive::on_host,
        .caller = &one,
        .initialise = fill,
        .finish = read,
        .step = end_step,
        .total = total,
        .exchange = p.part ? exchange : nullptr,
        .arrive = arrive};
    directive::answer answer{};
    style(&request, &answer);
    cases::require_ran(answer, p.style, p.processor);
    return answer;
}

const comm::communicator* ranks_of(const parameters& p) { return p.part ? p.part->ranks : nullptr; }

void require_written(const parameters& p) {
    const bool written = p.arithmetic == arithmetic::double_precision && p.links == 18 &&
                         p.rhs == 1 && p.kernel == kernel::shared;
    if (!written)
        throw unsupported("style " + p.style +
                          " is written for precision=double links=18 rhs=1 kernel=shared, the "
                          "original's program");
}

/// Loads the code and launches each kernel of one rank, so that the first sample does not include
/// these costs.
void warm_up(parameters few, directive::function style) {
    few.size = {2, 2, 4, 8};
    few.part = nullptr;
    few.iterations = 4;
    call small{.trial = {}, .p = few, .exchange_stream = {}};
    run(small, style);
}

}  // namespace

measure::trial run_directive(const parameters& p, directive::function program) {
    using memory::kind;
    require_written(p);
    const style& row = cases::style_named(styles(), p.style);
    const bool migrates = row.migrates();
    call one{.trial = {}, .p = p, .exchange_stream = {}};
    if (!p.processor.is_gpu())
        prepare(one.trial, p, std::array{kind::pageable});
    else if (migrates)
        prepare(one.trial, p, std::array{row.kind});
    else
        prepare(one.trial, p, std::array{row.host, row.kind});
    cases::together(ranks_of(p), [&] { warm_up(p, program); });
    const directive::answer answer = run(one, program);
    cases::record(one.trial, answer);
    record_solve(one.trial, {answer.solve});
    record_hop(one.trial, p, answer.hop_seconds);
    summarise(one.trial, p, migrates);
    return std::move(one.trial);
}

measure::trial run_directive(const parameters& p) {
    const style& row = cases::style_named(styles(), p.style);
    void* style = nullptr;
    cases::together(ranks_of(p),
                    [&] { style = cases::load_directive("lattice", row, p.by, cases::beside()); });
    cases::give_stack(row, p.by, p.processor);
    return run_directive(p, reinterpret_cast<directive::function>(style));
}

}  // namespace watari::lattice
