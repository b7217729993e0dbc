// Case `gemm` for Python, and the product of matrices in files.
#include "python.hpp"

#include "watari/core/error.hpp"
#include "watari/gemm/blas.hpp"
#include "watari/gemm/files.hpp"
#include "watari/gemm/gemm.hpp"

#include <utility>
#include <vector>

namespace {

using namespace watari;

std::string text(const nb::dict& p, const char* name) { return nb::cast<std::string>(p[name]); }
std::size_t number(const nb::dict& p, const char* name) { return nb::cast<std::size_t>(p[name]); }

/// What the case and files have in common.
gemm::parameters common(const nb::dict& p) {
    gemm::set_numpy_folder(text(p, "blas_folder"));
    gemm::parameters result;
    result.engine = text(p, "engine");
    result.processor = processor_named(text(p, "processor"));
    result.tile = number(p, "tile");
    result.schedule = text(p, "schedule") == "naive" ? gemm::order::naive : gemm::order::reuse;
    result.type = text(p, "precision") == "double" ? gemm::precision::double_precision
                                                   : gemm::precision::single_precision;
    result.fast_memory = number(p, "fast_memory");
    result.alpha = nb::cast<double>(p["alpha"]);
    result.beta = nb::cast<double>(p["beta"]);
    result.threads = number(p, "threads");
    result.depth = number(p, "depth");
    return result;
}

gemm::parameters case_parameters(const nb::dict& p) {
    gemm::parameters result = common(p);
    result.size = {number(p, "m"), number(p, "n"), number(p, "k")};
    result.order = text(p, "layout") == "tiled" ? gemm::layout::tiled : gemm::layout::row_major;
    result.store = text(p, "store");
    result.folder = text(p, "folder");
    result.samples = number(p, "samples");
    result.oversubscribe = nb::cast<bool>(p["oversubscribe"]);
    return result;
}

gemm::matrix_file matrix_file(const nb::dict& p) {
    return {text(p, "path"), nb::cast<std::uint64_t>(p["offset"]), number(p, "rows"),
            number(p, "columns")};
}

gemm::file_product file_product(const nb::dict& p) {
    gemm::file_product result;
    result.how = common(p);
    result.a = matrix_file(nb::cast<nb::dict>(p["a"]));
    result.b = matrix_file(nb::cast<nb::dict>(p["b"]));
    result.c = matrix_file(nb::cast<nb::dict>(p["c"]));
    if (result.how.beta != 0) result.c_read = matrix_file(nb::cast<nb::dict>(p["c0"]));
    result.direct = nb::cast<bool>(p["direct"]);
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

nb::dict multiply_files(const nb::dict& p, const nb::list& finished, const nb::callable& progress) {
    gemm::file_product given = file_product(p);
    for (const nb::handle each : finished)
        given.finished.emplace_back(nb::cast<std::size_t>(each[0]), nb::cast<std::size_t>(each[1]));
    given.progress = [&](const std::vector<gemm::tile_of_c>& tiles, double part) {
        const nb::gil_scoped_acquire acquired;
        nb::list list;
        for (const auto& [row, column] : tiles) list.append(nb::make_tuple(row, column));
        return nb::cast<bool>(progress(list, part));
    };
    gemm::pipeline_counts counts;
    {
        const nb::gil_scoped_release released;
        counts = gemm::multiply(given);
    }
    if (counts.stopped) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nb::python_error();
    }
    nb::dict result;
    nb::list notes;
    for (const std::string& note : counts.notes) notes.append(note);
    result["seconds"] = counts.seconds;
    result["waited_s"] = counts.waited;
    result["bytes_read"] = counts.read;
    result["bytes_written"] = counts.written;
    result["blas"] = counts.blas;
    result["notes"] = notes;
    return result;
}

}  // namespace

void bind_gemm(nb::module_& module) {
    module.def("gemm", run_case, nb::arg("parameters"),
               "One trial of case `gemm`; a sample is a whole product.");
    module.def(
        "gemm_plan",
        [](const nb::dict& p) { return foresight_dict(gemm::plan(case_parameters(p))); },
        nb::arg("parameters"), "What a trial of case `gemm` will move; nothing is read.");
    module.def(
        "gemm_files_plan",
        [](const nb::dict& p) { return foresight_dict(gemm::plan(file_product(p))); },
        nb::arg("parameters"),
        "What `gemm_files` will move; A and B are asked what their disks want.");
    module.def(
        "gemm_files_slot_bytes",
        [](const nb::dict& p) { return gemm::slot_bytes(file_product(p)); }, nb::arg("parameters"),
        "Bytes of a tile in fast memory in `gemm_files`, by what A and B say of their disks.");
    module.def(
        "gemm_files", multiply_files, nb::arg("parameters"), nb::arg("finished"),
        nb::arg("progress"),
        "The product of matrices in files, without the tiles (row, column) of C in `finished`. "
        "About once a second progress(tiles that became durable, part that is done) is "
        "called; False stops, which raises KeyboardInterrupt.");
}
