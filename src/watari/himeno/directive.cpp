#include "watari/himeno/directive.hpp"

#include "watari/core/error.hpp"
#include "watari/himeno/loop.hpp"
#include "watari/himeno/styles.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace watari::himeno {

namespace {

/// Where the program or shared object is that this code was linked into.
std::string own_folder() {
    static const char here = 0;
    Dl_info found{};
    if (dladdr(&here, &found) == 0 || found.dli_fname == nullptr) return "";
    const std::string file = found.dli_fname;
    return file.substr(0, file.find_last_of('/') + 1);
}

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
    parameters p;
};

void fill(void* caller, const directive::arrays* f) {
    const parameters& p = static_cast<call*>(caller)->p;
    initialise(fields_of(*f, p.size), p);
}

void read(void* caller, const directive::arrays* f) {
    call& one = *static_cast<call*>(caller);
    read_result(one.trial, fields_of(*f, one.p.size));
}

directive::answer run(call& one, directive::function style) {
    const parameters& p = one.p;
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
        .exchange = nullptr,
        .split_along_i_only = 0,
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
    // never closed: libgomp keeps the code that it has loaded onto the GPU
    void* library = dlopen(((folder.empty() ? own_folder() : folder + "/") + file).c_str(),
                           RTLD_NOW | RTLD_LOCAL);
    std::string why = library == nullptr ? dlerror() : "";
    if (library == nullptr && folder.empty()) library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw unsupported("style " + style + " needs " + (acc ? "OpenACC" : "OpenMP target") +
                          " for NVIDIA GPUs when Watari is built: GCC with the package "
                          "gcc-12-offload-nvptx (Debian) or gcc-13-offload-nvptx (Ubuntu) [" +
                          why + "]");
    std::string name = style;
    std::replace(name.begin(), name.end(), '-', '_');
    void* symbol = dlsym(library, name.c_str());
    if (symbol == nullptr) throw unsupported("style " + style + " is not in " + file);
    return reinterpret_cast<directive::function>(symbol);
}

measure::trial run_directive(const parameters& p, directive::function style) {
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
    call small{.trial = {}, .p = p};
    small.p.size = {5, 6, 8};
    small.p.iterations = 1;
    run(small, style);

    record(one.trial, run(one, style));
    summarise(one.trial, p, migrates);
    return std::move(one.trial);
}

measure::trial run_directive(const parameters& p) {
    return run_directive(p, load_directive(p.style));
}

}  // namespace watari::himeno
