#include "watari/cases/himeno/directive.hpp"

#include "watari/cases/himeno/loop.hpp"
#include "watari/cases/himeno/styles.hpp"
#include "watari/core/error.hpp"
#include "watari/core/shared_object.hpp"

#include <dlfcn.h>

#include <algorithm>
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

/// What the style calls back with.
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

/// What the style's pointer is to MPI, its row in the table of styles says.
void exchange(void* caller, float* p) {
    call& one = *static_cast<call*>(caller);
    one.p.exchanged->exchange(p, nullptr);
    // libgomp has streams of its own
    if (one.p.halo != comm::path::staged) device::synchronize(nullptr);
    finish_iteration(one.trial, one.p, one.exchanges++);
}

directive::answer run(call& one, directive::function style) {
    const part& p = one.p;
    const auto count = static_cast<std::size_t>(p.iterations);
    one.trial.host_s.resize(count);
    one.trial.series["gosa"].resize(count);
    const directive::request request{
        .i = p.size.i,
        .j = p.size.j,
        .k = p.size.k,
        .iterations = p.iterations,
        .fused = p.form == form::fused,
        .gpu = p.processor.is_gpu() ? p.processor.number : directive::on_host,
        .caller = &one,
        .initialise = fill,
        .finish = read,
        .exchange = p.exchanged == nullptr ? nullptr : exchange,
        .split_along_i_only = p.split.j * p.split.k == 1,
        .seconds = one.trial.host_s.data(),
        .gosa = one.trial.series["gosa"].data()};
    one.trial.first_sample = measure::now();
    directive::answer answer{};
    style(&request, &answer);
    if (answer.no_device)
        throw unsupported("style " + p.style + ": libgomp finds no GPU " +
                          std::to_string(p.processor.number) +
                          "; its plugin is in the package libgomp-plugin-nvptx1");
    if (p.processor.is_gpu() && !answer.ran_on_gpu)
        throw error("style " + p.style + " did not run on the GPU");
    return answer;
}

void record(measure::trial& into, const directive::answer& answer) {
    const std::pair<const char*, double> parts[] = {{"allocate", answer.allocate},
                                                    {"transfer_in", answer.transfer_in},
                                                    {"transfer_out", answer.transfer_out},
                                                    {"release", answer.release}};
    double sum = 0;
    for (const auto& [name, seconds] : parts) {
        into.quantities[name] = {seconds, "s"};
        sum += seconds;
    }
    into.quantities["outside_loop"] = {sum, "s"};
    into.quantities["ran_on_gpu"] = {static_cast<double>(answer.ran_on_gpu), "1"};
}

}  // namespace

directive::function load_directive(const std::string& style, const std::string& folder) {
    const bool acc = style.starts_with("acc");
    const std::string file = acc ? "libwatari_himeno_acc.so" : "libwatari_himeno_omp.so";
    // it stays: libgomp keeps the code that it has loaded onto the GPU
    const shared_object library = load_part(file, folder);
    if (library.handle == nullptr)
        throw unsupported("style " + style + " needs " + (acc ? "OpenACC" : "OpenMP target") +
                          " for NVIDIA GPUs when Watari is built: GCC with the package "
                          "gcc-12-offload-nvptx (Debian) or gcc-13-offload-nvptx (Ubuntu) [" +
                          library.why_not + "]");
    std::string name = style;
    std::replace(name.begin(), name.end(), '-', '_');
    void* symbol = dlsym(library.handle, name.c_str());
    if (symbol == nullptr) throw unsupported("style " + style + " is not in " + file);
    return reinterpret_cast<directive::function>(symbol);
}

measure::trial run_directive(const part& p, directive::function style) {
    using memory::kind;
    const bool migrates = p.style.starts_with("acc-managed");
    call one{.trial = {}, .p = p};
    if (!p.processor.is_gpu())
        prepare(one.trial, p, std::array{kind::pageable});
    else if (migrates)
        prepare(one.trial, p, std::array{kind::managed});
    else
        prepare(one.trial, p, std::array{kind::pageable, kind::device});

    // loads the code and launches each kernel once, so that the first sample is none of that
    parameters few = p;
    few.size = {5, 6, 8};
    few.split = {1, 1, 1};
    few.iterations = 1;
    call small{.trial = {}, .p = few};
    run(small, style);

    record(one.trial, run(one, style));
    summarise(one.trial, p, migrates);
    return std::move(one.trial);
}

measure::trial run_directive(const part& p) { return run_directive(p, load_directive(p.style)); }

}  // namespace watari::himeno
