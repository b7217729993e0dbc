// Case `himeno` for Python.
#include "python/module.hpp"

#include "himeno.hpp"
#include "python/styles.hpp"
#include "styles.hpp"

#include <utility>

namespace {

using namespace watari;

himeno::grid grid_of(const nb::object& shape) {
    const auto at = [&](int axis) { return nb::cast<std::size_t>(shape[axis]); };
    return {at(0), at(1), at(2)};
}

himeno::parameters parameters_of(const nb::dict& p) {
    const auto text = [&](const char* name) { return nb::cast<std::string>(p[name]); };
    himeno::parameters result;
    result.style = text("style");
    result.processor = processor_named(text("processor"));
    result.size = grid_of(p["shape"]);
    result.iterations = nb::cast<int>(p["iterations"]);
    result.rehearsal = nb::cast<int>(p["rehearsal"]);
    result.form = text("form") == "fused" ? himeno::form::fused : himeno::form::two_kernel;
    result.kernel = text("kernel") == "tuned" ? himeno::kernel::tuned : himeno::kernel::shared;
    result.data = text("data") == "general" ? himeno::data::general : himeno::data::standard;
    result.init = processor_named(text("init")).kind;
    result.split = grid_of(p["split"]);
    // one rank has no halo
    if (result.split.points() > 1) result.halo = comm::path_named(text("halo"));
    result.overlap = nb::cast<bool>(p["overlap"]);
    result.threads = nb::cast<int>(p["threads"]);
    result.oversubscribe = nb::cast<bool>(p["oversubscribe"]);
    return result;
}

nb::dict run(const nb::dict& given) {
    const himeno::parameters p = parameters_of(given);
    measure::trial result;
    {
        const nb::gil_scoped_release released;
        result = himeno::run(p);
    }
    return as_dict(std::move(result));
}

}  // namespace

static void bind_himeno(nb::module_& module) {
    module.def(
        "himeno", run, nb::arg("parameters"),
        "One trial of case `himeno`; `shape` is the grid's points along i, j, k, `split` the "
        "ranks along them. With several ranks every rank calls it.");
    module.attr("HIMENO_STYLES") = rows_of(himeno::styles());
}

static const binding himeno_bindings(bind_himeno);
