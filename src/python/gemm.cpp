// Case `gemm` for Python, and the product of matrices in .npy files.
#include "module.hpp"

#include "watari/blas/blas.hpp"
#include "watari/cases/gemm/gemm.hpp"
#include "watari/core/error.hpp"
#include "watari/gemm/product/product.hpp"

#include <utility>
#include <vector>

namespace {

using namespace watari;

std::string text(const nb::dict& p, const char* name) { return nb::cast<std::string>(p[name]); }
std::size_t number(const nb::dict& p, const char* name) { return nb::cast<std::size_t>(p[name]); }

/// Paths are bytes, of which the kernel alone excludes any: here and in what follows as
/// `os.fsencode` and `os.fsdecode` have them.
std::string path(const nb::dict& p, const char* name) {
    PyObject* bytes = nullptr;
    if (!PyUnicode_FSConverter(nb::object(p[name]).ptr(), &bytes)) throw nb::python_error();
    const auto owned = nb::steal<nb::bytes>(bytes);
    return {owned.c_str(), owned.size()};
}
nb::object decoded(const std::string& text) {
    return nb::steal(
        PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

gemm::parameters case_parameters(const nb::dict& p) {
    blas::set_numpy_folder(text(p, "blas_folder"));
    gemm::parameters result;
    result.engine = text(p, "engine");
    result.processor = processor_named(text(p, "processor"));
    result.tile = number(p, "tile");
    result.schedule =
        text(p, "schedule") == "naive" ? gemm::schedule_kind::naive : gemm::schedule_kind::reuse;
    result.type = text(p, "precision") == "double" ? precision::double_precision
                                                   : precision::single_precision;
    result.fast_memory = number(p, "fast_memory");
    result.alpha = nb::cast<double>(p["alpha"]);
    result.beta = nb::cast<double>(p["beta"]);
    result.threads = number(p, "threads");
    result.depth = number(p, "depth");
    result.size = {number(p, "m"), number(p, "n"), number(p, "k")};
    result.layout = text(p, "layout") == "tiled" ? gemm::layout::tiled : gemm::layout::row_major;
    result.store = text(p, "store");
    result.folder = text(p, "folder");
    result.samples = number(p, "samples");
    result.oversubscribe = nb::cast<bool>(p["oversubscribe"]);
    return result;
}

gemm::npy_product npy_product(const nb::dict& p) {
    blas::set_numpy_folder(text(p, "blas_folder"));
    gemm::npy_product result;
    result.a = path(p, "a");
    result.b = path(p, "b");
    result.c = path(p, "c");
    result.fast_memory = number(p, "fast_memory");
    result.alpha = nb::cast<double>(p["alpha"]);
    result.beta = nb::cast<double>(p["beta"]);
    if (p.contains("processor")) result.who = processor_named(text(p, "processor"));
    if (p.contains("engine")) result.engine = text(p, "engine");
    if (p.contains("tile")) result.tile = number(p, "tile");
    if (p.contains("threads")) result.threads = number(p, "threads");
    result.transpose_a = nb::cast<bool>(p["transpose_a"]);
    result.transpose_b = nb::cast<bool>(p["transpose_b"]);
    result.fresh = nb::cast<bool>(p["fresh"]);
    result.verify = nb::cast<bool>(p["verify"]);
    result.interval = nb::cast<double>(p["interval"]);
    return result;
}

nb::dict foresight_dict(const gemm::foresight& ahead) {
    nb::dict result;
    result["bytes_read"] = ahead.read;
    result["bytes_written"] = ahead.written;
    result["lower_bound_bytes"] = ahead.lower_bound;
    result["block_rows"] = ahead.block_rows;
    result["block_columns"] = ahead.block_columns;
    result["slots"] = ahead.slots;
    result["steps"] = ahead.steps;
    return result;
}

nb::dict run_case(const nb::dict& p) {
    const gemm::parameters given = case_parameters(p);
    measure::trial result;
    {
        const nb::gil_scoped_release released;
        result = gemm::run(given);
    }
    return as_dict(std::move(result));
}

nb::dict product_facts(const gemm::product& product) {
    const gemm::options& how = product.how();
    nb::dict result = foresight_dict(product.ahead());
    const gemm::shape size = product.size();
    result["m"] = size.m;
    result["n"] = size.n;
    result["k"] = size.k;
    result["fast_memory"] = how.fast_memory;
    result["factors"] =
        nb::make_tuple(decoded(product.a().where.path), decoded(product.b().where.path));
    result["dtype"] = files::npy_type(how.type);
    result["processor"] = how.processor.is_gpu() ? "gpu" : "cpu";
    result["engine"] = how.engine;
    result["tile"] = how.tile;
    result["threads"] = how.threads;
    result["depth"] = how.depth;
    result["tiles"] = product.tiles();
    return result;
}

nb::dict run_product(gemm::product& product, const nb::callable& progress) {
    gemm::product_counts counts;
    {
        const nb::gil_scoped_release released;
        counts = product.run([&](std::size_t finished, double part) {
            const nb::gil_scoped_acquire acquired;
            return nb::cast<bool>(progress(finished, part));
        });
    }
    nb::dict result;
    nb::list notes;
    for (const std::string& note : counts.notes) notes.append(decoded(note));
    result["seconds"] = counts.seconds;
    result["bytes_read"] = counts.read;
    result["bytes_written"] = counts.written;
    result["tiles"] = counts.tiles;
    result["finished_before"] = counts.finished_before;
    result["stopped"] = counts.stopped;
    result["blas"] = counts.blas;
    result["notes"] = notes;
    return result;
}

}  // namespace

static void bind_gemm(nb::module_& module) {
    module.def("gemm", run_case, nb::arg("parameters"),
               "One trial of case `gemm`; a sample is a whole product.");
    module.def(
        "gemm_plan",
        [](const nb::dict& p) { return foresight_dict(gemm::plan(case_parameters(p))); },
        nb::arg("parameters"), "What a trial of case `gemm` will move; nothing is read.");
    nb::class_<gemm::product>(module, "GemmProduct",
                              "A product of matrices in .npy files; made, nothing is written yet.")
        .def(
            "__init__",
            [](gemm::product* self, const nb::dict& p) {
                new (self) gemm::product(npy_product(p));
            },
            nb::arg("parameters"))
        .def("facts", product_facts,
             "Shapes and type, what was chosen for this machine, and what will move.")
        .def("completed_before", &gemm::product::completed_before,
             "Tiles that an earlier run completed, from which this one resumes.")
        .def("run", run_product, nb::arg("progress"),
             "Makes C. progress(tiles of C that are finished, part of the work that is done) is "
             "called before it begins and about as often as `interval` says; False stops.")
        .def(
            "kept", [](const gemm::product& product) { return decoded(product.kept()); },
            "What a run that began and did not finish has left, for people.");
}

static const binding gemm_bindings(bind_gemm);
