// The directive styles as host code: the same sources compiled without offloading. Python tests
// cover these styles on a GPU.
#include "../native/directive.hpp"
#include "../native/styles.hpp"

#include "watari/core/error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

using namespace watari;
using himeno::directive::answer;
using himeno::directive::arrays;
using himeno::directive::request;

extern "C" {
void acc_data(const request*, answer*);
void acc_host_data(const request*, answer*);
void acc_managed_all(const request*, answer*);
void acc_system(const request*, answer*);
void omp_target(const request*, answer*);
void omp_system(const request*, answer*);

// Replaces managed_malloc.cpp, which needs a GPU.
static int managed_blocks = 0;
void* managed_malloc(std::size_t bytes) {
    ++managed_blocks;
    return std::calloc(1, bytes);
}
void managed_free(void* data) {
    --managed_blocks;
    std::free(data);
}
}

namespace {

const std::pair<std::string, himeno::directive::function> styles[] = {
    {"acc-data", acc_data},
    {"acc-host-data", acc_host_data},
    {"acc-managed-all", acc_managed_all},
    {"acc-system", acc_system},
    {"omp-target", omp_target},
    {"omp-system", omp_system}};

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

TEST(himeno_directive, a_host_run_says_so) {
    for (const auto& [style, function] : styles) {
        const auto trial =
            run_directive(parameters(style, {5, 6, 7}, 2, himeno::form::fused), function);
        EXPECT_EQ(trial.quantities.at("ran_on_gpu").value, 0) << style;
        EXPECT_EQ(trial.host_s.size(), 2U);
    }
}

TEST(himeno_directive, memory_of_the_gpu_alone_has_laps_of_its_own) {
    for (const auto& [style, function] : styles) {
        const auto trial =
            run_directive(parameters(style, {5, 6, 7}, 2, himeno::form::fused), function);
        const bool copies =
            style == "acc-data" || style == "acc-host-data" || style == "omp-target";
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
    request r{};
    r.i = r.j = r.k = 3;
    r.gpu = himeno::directive::on_host;
    r.initialise = [](void*, const arrays*) { seen = managed_blocks; };
    r.finish = [](void*, const arrays*) {};
    answer a{};
    acc_managed_all(&r, &a);
    EXPECT_EQ(seen, 7);
    EXPECT_EQ(managed_blocks, 0);
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
            r.split_along_i_only = 1;
            r.seconds = seconds;
            r.gosa = gosa;
            answer a{};
            function(&r, &a);
            EXPECT_EQ(given.size(), 4U) << style;
        }
}

TEST(himeno_directive, a_missing_shared_object_names_its_package) {
    for (const char* style : {"acc-data", "omp-target"}) try {
            cases::load_directive("himeno", cases::style_named(himeno::styles(), style),
                                  "/nowhere");
            FAIL() << style;
        } catch (const unsupported& error) {
            EXPECT_NE(std::string(error.what()).find("gcc-12-offload-nvptx"), std::string::npos);
        }
}

}  // namespace
