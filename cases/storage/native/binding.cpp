// Case storage, and the engines that move blocks of files.
#include "python/case.hpp"
#include "storage.hpp"
#include "watari/storage/engines/depth.hpp"

namespace {

using namespace watari;

cases::storage_parameters storage_parameters(const nb::dict& p) {
    auto result = with_common<cases::storage_parameters>(p);
    const auto number = [&](const char* name) { return nb::cast<std::size_t>(p[name]); };
    result.processor = processor_named(text(p, "processor"));
    result.engine = text(p, "engine");
    result.pattern = chosen<storage::pattern>(
        text(p, "pattern"),
        {{"random", storage::pattern::random}, {"sequential", storage::pattern::sequential}});
    result.direction = chosen<files::direction>(
        text(p, "direction"),
        {{"read", files::direction::read}, {"write", files::direction::write}});
    result.cache =
        chosen<files::cache_state>(text(p, "cache"), {{"none", files::cache_state::none},
                                                      {"cold", files::cache_state::cold},
                                                      {"warm", files::cache_state::warm}});
    result.block = number("block");
    result.depth = number("depth");
    result.requests = number("requests");
    result.files = number("files");
    result.seed = number("seed");
    result.folder = text(p, "folder");
    result.store = text(p, "store");
    result.fault = text(p, "fault");
    return result;
}

nb::dict engine_row(const storage::engine_row& engine) {
    nb::dict row;
    row["name"] = as_text(engine.name);
    row["deep"] = engine.deep;
    row["of_gpu"] = engine.of_gpu;
    row["of_objects"] = engine.of_objects;
    return row;
}

void bind(nb::module_& module) {
    module.attr("FILE_ENGINES") = list_of(storage::engines(), engine_row);
    bind_case(
        module, "storage", storage_parameters, cases::storage,
        "One trial of case `storage`; `folder` is where its files lie, `seed` makes the order.");
    module.def("default_depth", &storage::default_depth, nb::arg("engine"), nb::arg("block"),
               nb::arg("on_disk"), "Requests that each thread of an engine has in flight.");
    module.attr("MOST_FILE_THREADS") = storage::most_file_threads;
}

const binding bindings(bind);

}  // namespace
