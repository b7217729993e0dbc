// The styles in directives as host code: the same sources compiled without offloading. Their sums
// add in another order, so that a flow differs in the last digits.
#include "../../native/directive.hpp"
#include "../../native/styles.hpp"

#include "errors.hpp"
#include "watari/case/directive.hpp"
#include "watari/core/error.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace watari;

namespace watari::les {
measure::trial run_directive(const parameters& p);  // loads the style, as the case does
}

namespace {

/// A style of a shared object: other applications' styles in this program have the same names.
les::directive::function loaded(const char* file, const char* name) {
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw error(dlerror());
    return reinterpret_cast<les::directive::function>(dlsym(library, name));
}

const auto& les_styles() {
    static const std::pair<std::string, les::directive::function> all[] = {
        {"acc-data", loaded(WATARI_LES_OPENACC, "acc_data")},
        {"acc-managed", loaded(WATARI_LES_OPENACC, "acc_managed")},
        {"omp-target", loaded(WATARI_LES_OPENMP, "omp_target")}};
    return all;
}

les::parameters city(const std::string& style, les::precision precision, les::extents size) {
    les::parameters p;
    p.style = style;
    p.precision = precision;
    p.whole = size;
    p.heights.assign(size.x * size.y, 0);
    for (std::size_t j = 4; j < 9; ++j)
        for (std::size_t i = 5; i < 11; ++i)
            p.heights[j * size.x + i] = static_cast<std::uint16_t>(size.z / 3);
    p.steps = 5;
    p.every = 2;
    p.touched = les::touched::planes;
    return p;
}

/// The flow at the end, with its halo.
template <class Real>
std::vector<double> flow_of(les::parameters p, measure::trial (*run)(const les::parameters&)) {
    std::vector<double> result;
    p.result = [&](std::byte* const(&flow)[4]) {
        const les::grid g{p.whole};
        for (const std::byte* each : flow)
            for (std::size_t k = 0; k < g.size.z; ++k)
                for (std::size_t j = 0; j < g.size.y; ++j)
                    for (std::size_t i = 0; i < g.size.x; ++i)
                        result.push_back(
                            double(reinterpret_cast<const Real*>(each)[g.at(k, j, i)]));
    };
    run(p);
    return result;
}

les::directive::function chosen = nullptr;
measure::trial by_directives(const les::parameters& given) {
    les::parameters p = given;
    p.grid = {p.whole};
    return les::run_directive(p, chosen);
}

/// The largest difference from the flow of the CPU's own program, m/s and K.
template <class Real>
double worst(const std::string& style, les::precision precision, les::extents size) {
    const auto p = city(style, precision, size);
    auto own = p;
    own.style = "system";
    const auto expected = flow_of<Real>(own, les::run), found = flow_of<Real>(p, by_directives);
    EXPECT_EQ(found.size(), expected.size());
    double most = 0, speed = 0;
    for (std::size_t n = 0; n < found.size(); ++n) {
        most = std::max(most, std::abs(found[n] - expected[n]));
        speed = std::max(speed, std::abs(expected[n]));
    }
    EXPECT_GT(speed, 1) << style;
    return most;
}

TEST(les_directive, the_flow_is_that_of_the_other_styles) {
    for (const auto& [style, function] : les_styles()) {
        chosen = function;
        // the last one has more columns of sums than threads that add them up
        for (const les::extents size : {les::extents{32, 16, 16}, {20, 24, 12}, {256, 40, 8}}) {
            // measured: 0, since sums are rounded to single precision, and 6e-15
            EXPECT_LT(worst<float>(style, les::precision::single_precision, size), 2e-6) << style;
            EXPECT_LT(worst<double>(style, les::precision::double_precision, size), 6e-14) << style;
        }
    }
}

// LLVM changes code for a device by passes that it leaves out for a host. Its plug-in for the host
// runs such code.
TEST(les_directive, llvms_code_for_a_device_has_the_flow_of_the_other_styles) {
    if (*WATARI_LES_DEVICE == '\0')
        GTEST_SKIP() << "WATARI_LLVM_HOST names no clang++ with LLVM's plug-in for the host";
    static const auto program = loaded(WATARI_LES_DEVICE, "omp_target");
    chosen = [](const les::directive::request* given, les::directive::answer* out) {
        auto on_device = *given;
        on_device.gpu = 0;
        program(&on_device, out);
        EXPECT_EQ(out->ran_on_gpu, 1);
        out->ran_on_gpu = 0;
    };
    // measured: 0 and 7e-15
    const les::extents size{32, 16, 16};
    EXPECT_LT(worst<float>("omp-target", les::precision::single_precision, size), 2e-6);
    EXPECT_LT(worst<double>("omp-target", les::precision::double_precision, size), 6e-14);
}

TEST(les_directive, a_host_run_says_so_and_warms_the_city) {
    for (const auto& [style, function] : les_styles()) {
        chosen = function;
        const auto p = city(style, les::precision::single_precision, {32, 16, 16});
        const auto trial = by_directives(p);
        auto own = p;
        own.style = "system";
        const auto expected = les::run(own);
        EXPECT_EQ(trial.quantities.at("ran_on_gpu").value, 0) << style;
        EXPECT_EQ(trial.host_s.size(), 5U);
        const double heat = expected.quantities.at("heat_to_air").value;
        EXPECT_NE(heat, 0);
        EXPECT_NEAR(trial.quantities.at("heat_to_air").value, heat, 1e-4 * std::abs(heat)) << style;
        const auto &divergence = trial.series.at("divergence"),
                   &known = expected.series.at("divergence");
        EXPECT_NEAR(divergence.back(), known.back(), 0.1 * known.back()) << style;
        const double courant = expected.series.at("courant").back();
        EXPECT_NEAR(trial.series.at("courant").back(), courant, 1e-5 * courant) << style;
        EXPECT_EQ(trial.quantities.contains("transfer_in"), style != "acc-managed") << style;
    }
}

TEST(les_directive, mist_and_trees_are_refused_with_the_reason) {
    for (const auto& [style, function] : les_styles()) {
        chosen = function;
        auto misty = city(style, les::precision::single_precision, {32, 16, 16}), leafy = misty;
        misty.mist = {0, 0, 8, 1e-3};
        leafy.trees = {0, 0, 8, 0.5};
        for (const auto& p : {misty, leafy})
            expect_error<unsupported>([&] { by_directives(p); }, {"neither mist, trees nor"});
    }
}

TEST(les_directive, a_missing_shared_object_names_its_compiler) {
    using cases::compiler;
    const std::tuple<const char*, compiler, const char*> rows[] = {
        {"acc-data", compiler::gcc, "gcc-12-offload-nvptx"},
        {"omp-target", compiler::llvm, "clang++ with nvptx offload"},
        {"acc-managed", compiler::nvhpc, "nvc++"}};
    for (const auto& [style, by, says] : rows) {
        const auto& row = cases::style_named(les::styles(), style);
        expect_error<unsupported>(
            [&, with = by] { cases::load_directive("les", row, with, "/nowhere"); }, {says});
    }
}

}  // namespace
