// The engines that move blocks of files.
#include "module.hpp"
#include "parameters.hpp"

#include "watari/case/words.hpp"
#include "watari/core/error.hpp"
#include "watari/storage/backends/ssd.hpp"
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

/// Results of a model of an SSD in simulated time (storage/backends/ssd.hpp).
nb::dict simulate_ssd(nb::handle rows, const std::string& name, bool writes, std::size_t block,
                      std::size_t depth, std::size_t requests) {
    storage::ssd_description wanted{.name = name};
    reading::convert(rows, wanted.rows);
    const auto disk = storage::make_ssd(wanted);
    const storage::simulated seen = storage::closed_loop(
        *disk, writes ? storage::opcode::write : storage::opcode::read, block, depth, requests);
    nb::dict result;
    result["latency"] = seen.latency;
    result["iops"] = seen.iops;
    result["p50"] = seen.p50;
    result["p99"] = seen.p99;
    return result;
}

void bind(nb::module_& module) {
    module.attr("SSD_SHAPE") = list_of(storage::shape_parts);
    module.def("simulate_ssd", simulate_ssd, nb::arg("rows"), nb::arg("name"), nb::arg("writes"),
               nb::arg("block"), nb::arg("depth"), nb::arg("requests"),
               "Latency and rate of a model of an SSD with a constant number in flight.");
    module.attr("FILE_ENGINES") = list_of(storage::engines(), engine_row);
    module.def("default_depth", &storage::default_depth, nb::arg("engine"), nb::arg("block"),
               nb::arg("on_disk"), "Requests that each thread of an engine has in flight.");
    module.def("usual_engine", usual_engine, nb::arg("processor"),
               "The engine for files of a processor where none is asked for.");
    module.attr("MOST_FILE_THREADS") = storage::most_file_threads;
}

const binding bindings(bind);

}  // namespace
