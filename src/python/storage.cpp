// The engines that move blocks of files.
#include "module.hpp"

#include "watari/storage/engines/depth.hpp"
#include "watari/storage/engines/engine.hpp"

namespace {

using namespace watari;

nb::dict engine_row(const storage::engine_row& engine) {
    nb::dict row;
    row["name"] = as_text(engine.name);
    row["deep"] = engine.deep;
    row["of_gpu"] = engine.of_gpu;
    row["queued"] = engine.queued;
    row["of_objects"] = engine.of_objects;
    return row;
}

void bind(nb::module_& module) {
    module.attr("FILE_ENGINES") = list_of(storage::engines(), engine_row);
    module.def("default_depth", &storage::default_depth, nb::arg("engine"), nb::arg("block"),
               nb::arg("on_disk"), "Requests that each thread of an engine has in flight.");
    module.attr("MOST_FILE_THREADS") = storage::most_file_threads;
}

const binding bindings(bind);

}  // namespace
