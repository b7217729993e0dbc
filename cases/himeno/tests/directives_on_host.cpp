// The directive styles as host code: the same sources compiled without offloading. Python tests
// cover these styles on a GPU.
#include "../native/styles.hpp"
#include "directive_styles.hpp"

#include "errors.hpp"
#include "watari/core/error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace watari;
using himeno::directive::answer;
using himeno::directive::arrays;
using himeno::directive::request;

namespace {

const auto& styles = himeno::directive_styles;

himeno::parameters parameters(const std::string& style, himeno::grid size, int iterations,
                              himeno::form form) {
    himeno::parameters p;
    p.style = style;
    p.size = size;
    p.iterations = iterations;
    p.form = form;
    return p;
}

TEST(himeno_directive, gosa_is_the_reference) {
    for (const auto& [style, function] : styles)
        for (const auto form : {himeno::form::two_kernel, himeno::form::fused}) {
            const auto xs = run_directive(parameters(style, {32, 32, 64}, 100, form), function);
            const auto& gosa = xs.series.at("gosa");
            EXPECT_NEAR(gosa[2] / 6.229796415e-03, 1, 1e-6) << style;
            EXPECT_NEAR(gosa[99] / 2.317158918e-03, 1, 1e-6) << style;
            const auto s = run_directive(parameters(style, {64, 64, 128}, 3, form), function);
            EXPECT_NEAR(s.series.at("gosa")[2] / 3.296793931e-03, 1, 1e-6) << style;
        }
}

TEST(himeno_directive, general_data_give_the_gosa_of_the_other_styles) {
    for (const himeno::grid size : {himeno::grid{3, 3, 3}, {5, 6, 7}, {17, 9, 33}})
        for (const auto& [style, function] : styles)
            for (const auto form : {himeno::form::two_kernel, himeno::form::fused}) {
                auto p = parameters(style, size, 5, form);
                p.data = himeno::data::general;
                const auto found = run_directive(p, function).series.at("gosa");
                p.style = "system";
                const auto expected = himeno::run(p).series.at("gosa");
                for (std::size_t n = 0; n < found.size(); ++n)
                    EXPECT_NEAR(found[n] / expected[n], 1, 2e-6) << style << " " << n;
            }
}

TEST(himeno_directive, a_host_run_says_so_and_memory_of_the_gpu_alone_has_laps_of_its_own) {
    for (const auto& [style, function] : styles) {
        const auto trial =
            run_directive(parameters(style, {5, 6, 7}, 2, himeno::form::fused), function);
        EXPECT_EQ(trial.quantities.at("ran_on_gpu").value, 0) << style;
        EXPECT_EQ(trial.host_s.size(), 2U);
        const std::string plain = style.substr(style.starts_with("f-") ? 2 : 0);
        const bool copies =
            plain == "acc-data" || plain == "acc-host-data" || plain == "omp-target";
        for (const char* lap : {"transfer_in", "transfer_out", "release_device"})
            EXPECT_EQ(trial.quantities.contains(lap), copies) << style << " " << lap;
        for (const char* lap : {"allocate", "read", "release"})
            EXPECT_TRUE(trial.quantities.contains(lap)) << style << " " << lap;
    }
}

TEST(himeno_directive, a_rehearsal_is_iterations_before_the_clock) {
    for (const auto& [style, function] : styles) {
        auto p = parameters(style, {5, 6, 7}, 7, himeno::form::two_kernel);
        const auto plain = run_directive(p, function);
        p.iterations = 4, p.rehearsal = 3;
        const auto rehearsed = run_directive(p, function);
        const auto& gosa = plain.series.at("gosa");
        EXPECT_EQ(rehearsed.series.at("gosa"), std::vector(gosa.begin() + 3, gosa.end())) << style;
        EXPECT_EQ(rehearsed.host_s.size(), 4U);
        EXPECT_EQ(rehearsed.quantities.at("fingerprint").value,
                  plain.quantities.at("fingerprint").value);
    }
}

TEST(himeno_directive, every_malloc_of_acc_managed_all_is_managed) {
    static int seen = 0;
    for (const auto& [style, function] : styles) {
        if (style.find("managed-all") == std::string::npos) continue;
        request r{};
        r.i = r.j = r.k = 3;
        r.gpu = himeno::directive::on_host;
        r.initialise = [](void*, const arrays*) { seen = managed_blocks; };
        r.finish = [](void*, const arrays*) {};
        answer a{};
        function(&r, &a);
        EXPECT_EQ(seen, 7) << style;
        EXPECT_EQ(managed_blocks, 0) << style;
    }
}

TEST(himeno_directive, the_halo_is_exchanged_after_every_iteration) {
    for (const auto& [style, function] : styles)
        for (const int fused : {0, 1}) {
            std::vector<const float*> given;
            double seconds[4], gosa[4];
            request r{};
            r.i = 5, r.j = 4, r.k = 6, r.iterations = 4, r.fused = fused;
            r.gpu = himeno::directive::on_host;
            r.caller = &given;
            r.initialise = [](void*, const arrays* f) {
                for (float* array : {f->p, f->wrk2, f->wrk1, f->bnd, f->a, f->b, f->c})
                    std::memset(array, 0, 5 * 4 * 6 * sizeof(float));
            };
            r.finish = [](void* caller, const arrays* f) {
                // the array exchanged last is the result
                EXPECT_EQ(static_cast<std::vector<const float*>*>(caller)->back(), f->p);
            };
            r.exchange = [](void* caller, float* p) {
                static_cast<std::vector<const float*>*>(caller)->push_back(p);
            };
            r.split_i = r.split_j = r.split_k = 2;
            r.threads = 1;
            r.seconds = seconds;
            r.gosa = gosa;
            answer a{};
            function(&r, &a);
            EXPECT_EQ(given.size(), 4U) << style;
        }
}

TEST(himeno_directive, a_missing_shared_object_names_its_compiler) {
    using cases::compiler;
    const std::tuple<const char*, compiler, const char*> rows[] = {
        {"acc-data", compiler::gcc, "gcc-12-offload-nvptx"},
        {"omp-target", compiler::gcc, "gcc-12-offload-nvptx"},
        {"omp-target", compiler::llvm, "clang++ with nvptx offload"},
        {"acc-data", compiler::llvm, "clang++ compiles OpenMP alone"},
        {"acc-data", compiler::nvhpc, "nvc++"},
        {"f-acc-data", compiler::gcc, "gfortran with the package gcc-12-offload-nvptx"},
        {"f-acc-data", compiler::nvhpc, "nvfortran"},
        {"f-cpu", compiler::gcc, "gfortran"}};
    for (const auto& [style, by, says] : rows) {
        const auto& row = cases::style_named(himeno::styles(), style);
        expect_error<unsupported>(
            [&, with = by] { cases::load_directive("himeno", row, with, "/nowhere"); }, {says});
    }
}

TEST(himeno_directive, only_nvhpc_runs_do_concurrent_on_a_gpu) {
    himeno::parameters p = parameters("f-do-concurrent", {5, 6, 7}, 1, himeno::form::fused);
    p.processor.kind = processor::type::gpu;
    const auto& row = cases::style_named(himeno::styles(), p.style);
    if (!row.run) GTEST_SKIP() << "a build without CUDA";
    expect_error<unsupported>([&] { row.run(p); }, {"compiler=nvhpc"});
}

}  // namespace
