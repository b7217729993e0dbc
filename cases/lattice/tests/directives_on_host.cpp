// The directive styles as host code: the same sources compiled without offloading. Python tests
// cover these styles on a GPU, directives_on_ranks.cpp on ranks.
#include "../native/styles.hpp"
#include "errors.hpp"
#include "watari/core/error.hpp"

#include "directive_styles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace watari::lattice {
namespace {

double value(const measure::trial& of, const std::string& name) {
    return of.quantities.at(name).value;
}

/// A request of 2x2x2x2 sites, without the work of its caller.
directive::request on_two_sites() {
    directive::request r{};
    r.where.size = {2, 2, 2, 2};
    r.split = {1, 1, 1, 1};
    r.gpu = directive::on_host;
    r.finish = [](void*, const directive::number*) {};
    r.total = [](void*, double*, unsigned) {};
    return r;
}

TEST(lattice_directive, published_values_come_out) {
    for (const auto& [style, function] : directive_styles) {
        const auto made = run_directive(directive_parameters(style, {8, 8, 8, 16}), function);
        EXPECT_EQ(value(made, "iterations"), 219) << style;
        EXPECT_NEAR(value(made, "norm2") / 58774.4661711278, 1, 1e-9) << style;
        EXPECT_NEAR(value(made, "log_det") / -57.877906765333961, 1, 1e-9) << style;
        EXPECT_NEAR(value(made, "plaquette") / 0.947838488172669, 1, 1e-9) << style;
        EXPECT_LT(value(made, "residual"), 1e-12) << style;
        EXPECT_EQ(value(made, "ran_on_gpu"), 0) << style;
        EXPECT_EQ(made.host_s.size(), 109U) << style;
        EXPECT_NEAR(made.series.at("residual")[0], 0.1385099525168, 1e-12) << style;
        EXPECT_GT(value(made, "hop_s"), 0) << style;
    }
}

TEST(lattice_directive, steps_are_those_of_the_other_styles) {
    for (const extents& size : {extents{4, 4, 4, 4}, {2, 6, 4, 10}})
        for (const auto& [style, function] : directive_styles) {
            parameters p = directive_parameters(style, size);
            const auto made = run_directive(p, function);
            p.style = "system";
            const auto plain = run(p);
            for (std::size_t n = 0; n < 10; ++n)
                EXPECT_NEAR(made.series.at("residual")[n] / plain.series.at("residual")[n], 1, 1e-9)
                    << style << " " << n;
            EXPECT_NEAR(value(made, "norm2") / value(plain, "norm2"), 1, 1e-11) << style;
        }
}

TEST(lattice_directive, nothing_overlaps) {
    for (const auto& [name, function] : directive_styles) {
        const style& row = cases::style_named(styles(), name);
        expect_error<unsupported>(
            [&] { cases::require_halo(row, comm::path::staged, true, gpu_number(0)); },
            {name, "takes no overlap=yes"});
    }
}

TEST(lattice_directive, too_few_iterations_are_an_error_that_names_the_step) {
    for (const auto& [style, function] : directive_styles) {
        parameters p = directive_parameters(style, {4, 4, 4, 4});
        p.iterations = 20;
        expect_error<error>([&] { run_directive(p, function); },
                            {"limit of iterations at step 10, after 20 applications of D"});
    }
}

TEST(lattice_directive, a_number_that_is_not_finite_is_a_breakdown) {
    for (const auto& [style, function] : directive_styles) {
        directive::request r = on_two_sites();
        r.relative = tolerance;
        r.initialise = [](void* caller, const directive::inputs* of) {
            const auto& asked = *static_cast<const directive::request*>(caller);
            std::fill_n(of->links, asked.link_numbers(), directive::number(NAN));
            std::fill_n(of->clover, asked.clover_numbers(), directive::number(1));
            std::fill_n(of->source, asked.vector(), directive::number(1));
        };
        r.step = [](void*, double) { return 0; };
        r.caller = &r;
        directive::answer made{};
        function(&r, &made);
        EXPECT_EQ(made.solve.reason, krylov::ending::breakdown) << style;
    }
}

TEST(lattice_directive, other_forms_are_refused) {
    for (const auto& [style, function] : directive_styles)
        for (int form = 0; form < 4; ++form) {
            parameters p = directive_parameters(style, {4, 4, 4, 4});
            if (form == 0) p.arithmetic = arithmetic::mixed;
            if (form == 1) p.links = 12;
            if (form == 2) p.rhs = 2;
            if (form == 3) p.kernel = kernel::tuned;
            EXPECT_THROW(run_directive(p, function), unsupported) << style << form;
        }
}

TEST(lattice_directive, every_array_of_acc_managed_is_managed) {
    static int seen = 0;
    directive::request r = on_two_sites();
    r.initialise = [](void*, const directive::inputs*) { seen = managed_arrays; };
    r.step = [](void*, double) { return 1; };
    directive::answer made{};
    lattice_acc_managed(&r, &made);
    EXPECT_EQ(seen, 11);
    EXPECT_EQ(managed_arrays, 0);
}

TEST(lattice_directive, a_missing_shared_object_names_its_package) {
    for (const char* style : {"acc-data", "omp-target"})
        expect_error<unsupported>(
            [&] {
                cases::load_directive("lattice", cases::style_named(styles(), style),
                                      cases::compiler::gcc, "/nowhere");
            },
            {"gcc-12-offload-nvptx"});
}

}  // namespace
}  // namespace watari::lattice
