// Case `lattice` for Python.
#include "python/module.hpp"

#include "lattice.hpp"
#include "python/styles.hpp"
#include "styles.hpp"

#include <utility>

namespace {

using namespace watari;

lattice::parameters parameters_of(const nb::dict& p) {
    const auto text = [&](const char* name) { return nb::cast<std::string>(p[name]); };
    const auto number = [&](const char* name) { return nb::cast<std::size_t>(p[name]); };
    const auto at = [&](int axis) { return nb::cast<unsigned>(p["shape"][axis]); };
    const std::string precision = text("precision");
    lattice::parameters result;
    result.style = text("style");
    result.processor = processor_named(text("processor"));
    result.size = {at(0), at(1), at(2), at(3)};
    result.arithmetic = precision == "single"  ? lattice::arithmetic::single_precision
                        : precision == "mixed" ? lattice::arithmetic::mixed
                                               : lattice::arithmetic::double_precision;
    result.links = static_cast<unsigned>(number("links"));
    result.rhs = number("rhs");
    result.kernel = text("kernel") == "tuned" ? lattice::kernel::tuned : lattice::kernel::shared;
    result.iterations = number("iterations");
    const auto part = [&](int axis) { return nb::cast<unsigned>(p["split"][axis]); };
    result.split = {part(0), part(1), part(2), part(3)};
    // one rank has no halo
    if (result.split.sites() > 1) result.path = comm::path_named(text("halo"));
    result.overlap = nb::cast<bool>(p["overlap"]);
    result.threads = nb::cast<int>(p["threads"]);
    result.oversubscribe = nb::cast<bool>(p["oversubscribe"]);
    return result;
}

nb::dict run(const nb::dict& given) {
    const lattice::parameters p = parameters_of(given);
    measure::trial result;
    {
        const nb::gil_scoped_release released;
        result = lattice::run(p);
    }
    return as_dict(std::move(result));
}

}  // namespace

static void bind_lattice(nb::module_& module) {
    module.attr("LATTICE_STYLES") = rows_of(lattice::styles());
    module.def("lattice", run, nb::arg("parameters"),
               "One trial of case `lattice`; `shape` is the lattice's extents along x, y, z, t, "
               "`split` the ranks along them. With several ranks every rank calls it.");
}

static const binding lattice_bindings(bind_lattice);
