#include "directive.hpp"

#include "loop.hpp"
#include "styles.hpp"
#include "watari/case/ranks.hpp"
#include "watari/core/error.hpp"

#include <utility>
#include <vector>

namespace watari::himeno {

namespace {

fields fields_of(const directive::arrays& f, grid size) {
    const std::size_t n = size.points();
    fields result{.size = size};
    result.p = f.p, result.wrk2 = f.wrk2, result.wrk1 = f.wrk1, result.bnd = f.bnd;
    for (std::size_t m = 0; m < 4; ++m) result.a[m] = f.a + m * n;
    for (std::size_t m = 0; m < 3; ++m) result.b[m] = f.b + m * n;
    for (std::size_t m = 0; m < 3; ++m) result.c[m] = f.c + m * n;
    return result;
}

/// State of the callbacks of a style: the `caller` of its request.
struct call {
    measure::trial trial;
    part p;
    std::size_t exchanges = 0;
};

void fill(void* caller, const directive::arrays* f) {
    const part& p = static_cast<call*>(caller)->p;
    initialise(fields_of(*f, p.size), p);
}

void read(void* caller, const directive::arrays* f) {
    call& one = *static_cast<call*>(caller);
    read_result(one.trial, one.p, fields_of(*f, one.p.size));
}

/// Exchanges the halo of p, a pointer of the kind that the style's row in the table has.
void exchange(void* caller, float* p) {
    call& one = *static_cast<call*>(caller);
    one.p.exchanged->exchange(p, nullptr);
    // libgomp uses its own streams
    if (one.p.halo != comm::path::staged) device::synchronize(nullptr);
    finish_iteration(one.trial, one.p, one.exchanges++);
}

directive::answer run(call& one, directive::function style) {
    const part& p = one.p;
    const auto count = static_cast<std::size_t>(p.rehearsal + p.iterations);
    one.trial.host_s.resize(count);
    one.trial.series["gosa"].resize(count);
    const directive::request request{
        .i = p.size.i,
        .j = p.size.j,
        .k = p.size.k,
        .iterations = p.rehearsal + p.iterations,
        .fused = p.form == form::fused,
        .gpu = p.processor.is_gpu() ? p.processor.number : directive::on_host,
        .threads = p.threads,
        .caller = &one,
        .initialise = fill,
        .finish = read,
        .exchange = p.exchanged == nullptr ? nullptr : exchange,
        .split_i = static_cast<int>(p.split.i),
        .split_j = static_cast<int>(p.split.j),
        .split_k = static_cast<int>(p.split.k),
        .seconds = one.trial.host_s.data(),
        .gosa = one.trial.series["gosa"].data()};
    one.trial.first_sample = measure::now();
    directive::answer answer{};
    style(&request, &answer);
    cases::require_ran(answer, p.style, p.processor);
    return answer;
}

}  // namespace

measure::trial run_directive(const part& p, directive::function program) {
    using memory::kind;
    const style& row = cases::style_named(styles(), p.style);
    const bool migrates = row.migrates();
    if (p.init == processor::type::gpu && !migrates)
        throw unsupported("style " + p.style +
                          ": its arrays lie in pageable memory until a region begins, where the "
                          "GPU cannot write them; init=cpu");
    call one{.trial = {}, .p = p};
    if (!p.processor.is_gpu())
        prepare(one.trial, p, std::array{kind::pageable});
    else if (migrates)
        prepare(one.trial, p, std::array{row.kind});
    else
        prepare(one.trial, p, std::array{row.host, row.kind});

    // loads the code and launches each kernel once, so that the first sample does neither
    parameters few = p;
    few.size = {5, 6, 8};
    few.split = {1, 1, 1};
    few.iterations = 1;
    few.rehearsal = 0;
    call small{.trial = {}, .p = few};
    cases::together(p.ranks, [&] { run(small, program); });

    cases::record(one.trial, run(one, program));
    summarise(one.trial, p, migrates);
    return std::move(one.trial);
}

measure::trial run_directive(const part& p) {
    const style& row = cases::style_named(styles(), p.style);
    void* style = nullptr;
    cases::together(p.ranks, [&] {
        if (row.language == cases::directives::concurrent && p.processor.is_gpu() &&
            p.by != cases::compiler::nvhpc)
            throw unsupported("style " + p.style +
                              " needs compiler=nvhpc on a GPU: others make it for the CPU alone");
        style = cases::load_directive("himeno", row, p.by, cases::beside());
    });
    return run_directive(p, reinterpret_cast<directive::function>(style));
}

}  // namespace watari::himeno
