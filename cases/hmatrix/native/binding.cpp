// Charges of surfaces by H-matrices, and case `hmatrix`, for Python.
#include "python/case.hpp"
#include "surface.hpp"

#include "hmatrix.hpp"
#include "watari/case/ranks.hpp"
#include "watari/core/error.hpp"
#include "watari/hmatrix/build/build.hpp"
#include "watari/hmatrix/solve.hpp"
#include "watari/hmatrix/surface/shapes.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace {

using namespace watari;
using hmatrix::method;

/// What the commands of charges take: the matrix in the file `path`, and a solve.
struct charges {
    hmatrix::build_options build{};
    hmatrix::solve_options solve{};
    std::string path;
    std::size_t ranks = 1;

    static constexpr std::tuple members{nested{&charges::build, hmatrix::build_members},
                                        nested{&charges::solve, hmatrix::solve_members},
                                        member{"path", &charges::path},
                                        member{"ranks", &charges::ranks}};
};

charges charges_of(const nb::dict& given) {
    auto result = parameters_of<charges>("bem", given);
    result.build.chunk_bytes = hmatrix::chunk_within(result.solve.fast_memory);
    return result;
}

/// Returns the ranks of a command; null if it has one. Throws usage_error, unsupported.
const comm::communicator* ranks_of(const charges& p) {
    if (p.ranks == 1) return nullptr;
    const comm::communicator& all = comm::world();
    cases::require_ranks("of rows", p.ranks, p.build.who, all);
    return &all;
}

/// Returns the build options of a command; with several ranks, for the rows of this rank.
hmatrix::build_options own_build_options(const checked_surface& of, const charges& p) {
    hmatrix::build_options how = p.build;
    if (const comm::communicator* const all = ranks_of(p)) {
        how.who = cases::own_processor(how.who, *all);
        how.rows = hmatrix::divided(of.surface.tree, hmatrix::leaves_of(of.surface.tree, how.eta),
                                    static_cast<std::size_t>(all->size()))
                       .at(static_cast<std::size_t>(all->rank()));
    }
    return how;
}

hmatrix::solve_options own_solve_options(const charges& p) {
    hmatrix::solve_options how = p.solve;
    how.ranks = ranks_of(p);
    if (how.ranks) how.product.who = cases::own_processor(how.product.who, *how.ranks);
    return how;
}

nb::dict build(const checked_surface& of, const nb::dict& given, const nb::callable& progress) {
    const charges p = charges_of(given);
    const hmatrix::build_options how = own_build_options(of, p);
    const hmatrix::build_counts counts =
        without_lock([&] { return hmatrix::build(of.surface, p.path, how, asking(progress)); });
    nb::dict result;
    result["seconds"] = counts.seconds;
    result["leaves"] = counts.leaves;
    result["resumed"] = counts.resumed;
    result["low_rank"] = counts.low_rank;
    result["highest_rank"] = counts.highest_rank;
    result["bytes"] = counts.file_bytes;
    result["stopped"] = counts.stopped;
    return result;
}

nb::dict run_case(const checked_surface& of, const nb::dict& p) {
    auto given = parameters_of<hmatrix::case_parameters>("hmatrix", p);
    given.build.chunk_bytes = hmatrix::chunk_within(given.solve.fast_memory);
    return trial_of(hmatrix::run, of.surface, given);
}

/// Whether the file `path` contains all of this matrix.
bool is_built(const checked_surface& of, const nb::dict& given) {
    const charges p = charges_of(given);
    try {
        return hmatrix::read_index(p.path).head.of ==
               hmatrix::identity_of(of.surface, own_build_options(of, p));
    } catch (const error&) {
        return false;  // absent, incomplete or damaged: it must be built
    }
}

/// Throws usage_error, before a build, if no matrix by these options can be solved in the budget.
void require_budget(const checked_surface& of, const nb::dict& given) {
    const charges p = charges_of(given);
    without_lock([&] {
        hmatrix::require_budget(of.surface, own_build_options(of, p), own_solve_options(p));
    });
}

struct charge_solver {
    charge_solver(const checked_surface& of, const charges& p)
        : given(&of), how(own_solve_options(p)), file(p.path) {
        const nb::gil_scoped_release released;
        const hmatrix::matrix_index index = hmatrix::read_index(file);
        matrix_bytes = index.data_bytes();
        by = std::make_unique<hmatrix::solver>(file, index, how);
    }

    nb::dict facts() const {
        const hmatrix::solve_forecast& ahead = by->ahead();
        nb::dict result;
        result["matrix_bytes"] = matrix_bytes;
        result["resident_bytes"] = ahead.product.resident;
        result["read_bytes"] = ahead.product.read;
        result["memory"] = ahead.memory();
        result["least"] = ahead.least;
        result["restart"] = ahead.restart;
        result["usual_restart"] = hmatrix::usual_restart;
        result["expected_products"] = hmatrix::expected_products(given->surface.size(), how);
        return result;
    }

    nb::dict solve(const nb::callable& progress) {
        const hmatrix::solution found =
            without_lock([&] { return by->solve(given->surface.signs, asking(progress)); });
        const krylov::report& report = found.reports.at(0);
        nb::dict result;
        result["charges"] = numpy(given->in_order(found.x.data()));
        result["ending"] = krylov::name_of(report.reason);
        result["converged"] = report.converged();
        result["residual"] = report.norm_b > 0 ? report.true_residual / report.norm_b : 0;
        result["iterations"] = report.iterations;
        result["products"] = found.products;
        result["seconds"] = found.seconds;
        result["waited"] = found.waited;
        result["bytes_read"] = by->matrix().bytes_read();
        return result;
    }

    const checked_surface* given;
    hmatrix::solve_options how;
    std::string file;
    std::uint64_t matrix_bytes = 0;
    std::unique_ptr<hmatrix::solver> by;
};

}  // namespace

static void bind_hmatrix(nb::module_& module) {
    module.def("hmatrix_names_shape", &hmatrix::names_shape, nb::arg("text"),
               "Whether a text names a generator of meshes.");
    module.def("hmatrix_triangles", &hmatrix::triangles_of, nb::arg("text"),
               "Triangles of a generator's mesh.");
    module.def(
        "hmatrix_shape", [](const std::string& text) { return as_arrays(hmatrix::shape(text)); },
        nb::arg("text"), "A generator's mesh: vertices, triangles, signs of the potential.");
    module.def(
        "hmatrix_rank",
        [](const nb::dict& p) {
            const comm::communicator* const all = ranks_of(charges_of(p));
            return all ? all->rank() : 0;
        },
        nb::arg("parameters"), "The number of this process among the ranks of a command.");
    module.def("hmatrix", run_case, nb::arg("surface"), nb::arg("parameters"),
               "One trial of case `hmatrix`; a sample is one product.");
    nb::class_<checked_surface>(module, "HmatrixSurface", "A mesh that passed the checks.")
        .def(nb::init<const table<double>&, const table<std::int64_t>&, const column<std::int8_t>&,
                      bool>(),
             nb::arg("vertices"), nb::arg("triangles"), nb::arg("signs"), nb::arg("repair"))
        .def(
            "arrays", [](const checked_surface& of) { return as_arrays(of.mesh); },
            "Vertices, triangles, and signs of the potential, as repaired.")
        .def("areas", &checked_surface::areas, "By triangle.")
        .def("notes", &checked_surface::notes, "What was repaired, and what is unusual.")
        .def("build", build, nb::arg("parameters"), nb::arg("progress"),
             "Writes the matrix to the file `path`. progress(part); False stops.")
        .def("require_budget", require_budget, nb::arg("parameters"),
             "Raises UsageError if the budget is too small for any matrix of this surface.")
        .def("is_built", is_built, nb::arg("parameters"),
             "Whether the file `path` is this matrix.");
    nb::class_<charge_solver>(module, "HmatrixSolver", "Charges by the matrix in the file `path`.")
        .def(
            "__init__",
            [](charge_solver* self, const checked_surface& of, const nb::dict& given) {
                new (self) charge_solver(of, charges_of(given));
            },
            nb::arg("surface"), nb::arg("parameters"), nb::keep_alive<1, 2>())
        .def("facts", &charge_solver::facts, "What will move, and memory.")
        .def("solve", &charge_solver::solve, nb::arg("progress"),
             "Charges by triangle, times 1 / (4 pi eps0), at potential 1. progress(products, "
             "residual); False stops.");
}

static const binding hmatrix_bindings(bind_hmatrix);
