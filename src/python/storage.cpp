// The engines that move blocks of files.
#include "module.hpp"

#include "watari/case/words.hpp"
#include "watari/core/error.hpp"
#include "watari/storage/engines/depth.hpp"
#include "watari/storage/engines/engine.hpp"

#include <string>

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

/// Returns the first engine for files that this machine supports, in a processor's preferred order.
std::string usual_engine(const std::string& processor) {
    const watari::processor who = cases::processor_named(processor);
    std::string reasons;
    for (const char* name : {"gpu", "uring", "posix"}) {
        if (!who.is_gpu() && std::string(name) == "gpu") continue;
        storage::engine_options options;
        options.who = who;
        const std::string reason = storage::engine_named(name).unsupported(options);
        if (reason.empty()) return name;
        reasons += std::string(reasons.empty() ? "" : "; ") + name + ": " + reason;
    }
    throw unsupported(reasons);
}

void bind(nb::module_& module) {
    module.attr("FILE_ENGINES") = list_of(storage::engines(), engine_row);
    module.def("default_depth", &storage::default_depth, nb::arg("engine"), nb::arg("block"),
               nb::arg("on_disk"), "Requests that each thread of an engine has in flight.");
    module.def("usual_engine", usual_engine, nb::arg("processor"),
               "The engine for files of a processor where none is asked for.");
    module.attr("MOST_FILE_THREADS") = storage::most_file_threads;
}

const binding bindings(bind);

}  // namespace
