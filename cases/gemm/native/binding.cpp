// Case `gemm` for Python, and the product of matrices in .npy files.
#include "python/case.hpp"

#include "gemm.hpp"
#include "watari/blas/blas.hpp"
#include "watari/core/error.hpp"
#include "watari/files/page_cache.hpp"
#include "watari/gemm/product/factor.hpp"
#include "watari/gemm/product/product.hpp"
#include "watari/storage/stores/open_store.hpp"
#include "watari/storage/stores/rate.hpp"

#include <utility>
#include <vector>

namespace {

using namespace watari;

/// The parameters of a product, and the folder in which OpenBLAS may lie.
template <class Product>
struct with_blas {
    Product product;
    std::string folder;
};

/// Parameters of `watari gemm`; those that are not given are chosen by the library.
constexpr std::tuple npy_members{
    member{"a", &gemm::npy_product::a},
    member{"b", &gemm::npy_product::b},
    member{"c", &gemm::npy_product::c},
    member{"fast_memory", &gemm::npy_product::fast_memory},
    member{"transpose_a", &gemm::npy_product::transpose_a},
    member{"transpose_b", &gemm::npy_product::transpose_b},
    member{"alpha", &gemm::npy_product::alpha},
    member{"beta", &gemm::npy_product::beta},
    member{"processor", &gemm::npy_product::who},
    member{"engine", &gemm::npy_product::engine},
    member{"tile", &gemm::npy_product::tile},
    member{"threads", &gemm::npy_product::threads},
    member{"plain", &gemm::npy_product::plain},
    member{"keep", &gemm::npy_product::keep},
    member{"fresh", &gemm::npy_product::fresh},
    member{"interval", &gemm::npy_product::interval},
};

template <class Product, class Table>
Product product_of(const nb::dict& given, const Table& members) {
    using both = with_blas<Product>;
    const auto result = parameters_of<both>(
        "gemm", given,
        std::tuple{nested{&both::product, members}, member{"blas_folder", &both::folder}});
    blas::set_numpy_folder(result.folder);
    return result.product;
}

/// A factor whose format Python has read (cases/gemm/operand.py).
struct known_place {
    files::matrix_file where;
    precision type;
    bool by_columns;
};

known_place place_of(const nb::dict& p) {
    const auto number = [&](const char* name) { return nb::cast<std::size_t>(p[name]); };
    const auto type = nb::cast<std::string>(p["type"]);
    files::matrix_file where{.path = text_of(p["path"]),
                             .offset = number("offset"),
                             .rows = number("rows"),
                             .columns = number("columns")};
    if (type == "float16") where.half = half_type::float16;
    if (type == "bfloat16") where.half = half_type::bfloat16;
    for (const nb::handle each : nb::cast<nb::list>(p["chunks"]))
        where.chunks.push_back(text_of(each));
    where.chunk_rows = number("chunk_rows");
    where.chunk_columns = number("chunk_columns");
    return {std::move(where),
            type == "float64" ? precision::double_precision : precision::single_precision,
            nb::cast<bool>(p["by_columns"])};
}

/// `places` has the factors that are not .npy files, by name. Without the interpreter's lock where
/// files and servers are asked.
void make_product(gemm::product* self, const nb::dict& given, const nb::dict& places) {
    auto wanted = product_of<gemm::npy_product>(given, npy_members);
    std::vector<std::pair<std::optional<files::npy_matrix>*, known_place>> known;
    for (const auto& [name, into] : {std::pair("a", &wanted.a_at), std::pair("b", &wanted.b_at)})
        if (places.contains(name))
            known.emplace_back(into, place_of(nb::cast<nb::dict>(places[name])));
    const nb::gil_scoped_release released;
    for (const auto& [into, place] : known)
        *into = gemm::factor_at(place.where, place.type, place.by_columns);
    new (self) gemm::product(wanted);
}

gemm::parameters case_parameters(const nb::dict& given) {
    return product_of<gemm::parameters>(given, gemm::parameters::members);
}

nb::dict foresight_dict(const gemm::foresight& ahead) {
    nb::dict result;
    result["bytes_read"] = ahead.read;
    result["bytes_received"] = ahead.received;
    result["requests"] = ahead.requests;
    result["bytes_written"] = ahead.written;
    result["lower_bound_bytes"] = ahead.lower_bound;
    result["block_rows"] = ahead.block_rows;
    result["block_columns"] = ahead.block_columns;
    result["slots"] = ahead.slots;
    result["steps"] = ahead.steps;
    return result;
}

nb::dict product_facts(const gemm::product& product) {
    const gemm::options& how = product.how();
    nb::dict result = foresight_dict(product.ahead());
    const gemm::shape size = product.size();
    result["m"] = size.m;
    result["n"] = size.n;
    result["k"] = size.k;
    result["fast_memory"] = how.fast_memory;
    result["factors"] = nb::make_tuple(decoded(product.a().where.paths().front()),
                                       decoded(product.b().where.paths().front()));
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
    const gemm::product_counts counts = without_lock([&] { return product.run(asking(progress)); });
    nb::dict result;
    nb::list notes;
    for (const std::string& note : counts.notes) notes.append(decoded(note));
    result["seconds"] = counts.seconds;
    result["seconds_verifying"] = counts.verifying;
    result["bytes_read"] = counts.read;
    result["bytes_received"] = counts.received;
    result["bytes_written"] = counts.written;
    result["tiles"] = counts.tiles;
    result["finished_before"] = counts.finished_before;
    result["stopped"] = counts.stopped;
    result["blas"] = counts.blas;
    result["notes"] = notes;
    return result;
}

/// Bytes per second at which `threads` threads read a file by engine posix, past the page cache,
/// `block` bytes at a time, rounded up to units of the disk.
double read_rate(const std::string& path, std::size_t block, std::size_t threads) {
    const nb::gil_scoped_release released;
    const storage::open_store from({.engine = "posix",
                                    .who = the_cpu,
                                    .files = {.paths = {path}, .cache = files::cache_state::none},
                                    .largest_block = block});
    files::prepare_page_cache(*from.files());  // refuses a file system in memory
    const std::size_t unit = from.unit();
    block = (block + unit - 1) / unit * unit;
    return storage::rate(from, files::direction::read, {0, from.bytes()}, the_cpu, threads, 1,
                         block);
}

}  // namespace

static void bind_gemm(nb::module_& module) {
    module.def(
        "gemm", [](const nb::dict& p) { return trial_of(gemm::run, case_parameters(p)); },
        nb::arg("parameters"), "One trial of case `gemm`; a sample is a whole product.");
    module.def(
        "gemm_plan",
        [](const nb::dict& p) { return foresight_dict(gemm::plan(case_parameters(p))); },
        nb::arg("parameters"), "What a trial of case `gemm` will move; nothing is read.");
    module.def("gemm_read_rate", read_rate, nb::arg("path"), nb::arg("block"), nb::arg("threads"),
               "Bytes per second of a file, read by engine posix past the page cache.");
    nb::class_<gemm::product>(module, "GemmProduct",
                              "A product of matrices in .npy files; made, nothing is written yet.")
        .def("__init__", make_product, nb::arg("parameters"), nb::arg("places"))
        .def("facts", product_facts,
             "Shapes and type, what was chosen for this machine, and what will move.")
        .def("completed_before", &gemm::product::completed_before,
             nb::call_guard<nb::gil_scoped_release>(),
             "Tiles that an earlier run completed, from which this one resumes.")
        .def("require_room", &gemm::product::require_room, nb::call_guard<nb::gil_scoped_release>(),
             "Raises FileError if C does not fit its disk.")
        .def("run", run_product, nb::arg("progress"),
             "Makes C. progress(tiles of C that are finished, part of the work that is done) is "
             "called before it begins and about as often as `interval` says; False stops.")
        .def(
            "kept",
            [](const gemm::product& product) {
                return decoded(without_lock([&] { return product.kept(); }));
            },
            "What a run that began and did not finish has left, for people.");
}

static const binding gemm_bindings(bind_gemm);
