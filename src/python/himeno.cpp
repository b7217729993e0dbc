// Case `himeno` for Python, and the arrays that its kernels compute.
#include "module.hpp"

#include "watari/cases/himeno/himeno.hpp"
#include "watari/cases/himeno/loop.hpp"
#include "watari/comm/communicator.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

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
    result.form = text("form") == "fused" ? himeno::form::fused : himeno::form::two_kernel;
    result.kernel = text("kernel") == "tuned" ? himeno::kernel::tuned : himeno::kernel::shared;
    result.data = text("data") == "general" ? himeno::data::general : himeno::data::standard;
    result.split = grid_of(p["split"]);
    // one rank has no halo
    if (result.split.points() > 1) result.halo = comm::path_named(text("halo"));
    result.overlap = nb::cast<bool>(p["overlap"]);
    result.threads = nb::cast<int>(p["threads"]);
    result.oversubscribe = nb::cast<bool>(p["oversubscribe"]);
    return result;
}

/// The 14 arrays, one behind the other in CPU memory, after the iterations.
std::vector<float> computed(const himeno::parameters& p, double& gosa) {
    const std::size_t points = p.size.points();
    const auto kind = p.processor.is_gpu() ? memory::kind::device : memory::kind::pageable;
    const memory::placement how{.device = p.processor.number};
    const memory::buffer<float> arrays(kind, 14 * points, how);
    const memory::buffer<double> sums(kind, himeno::gosa_scratch(p.size), how);
    himeno::fields f{.size = p.size};
    float* next = arrays.data();
    for (float** array : himeno::pointers(f)) *array = std::exchange(next, next + points);
    const himeno::kernels& run = himeno::kernels_on(p.processor);
    run.initialise(f, p.size, {0, 0, 0}, p.data, nullptr);
    measure::trial unused;
    if (p.iterations > 0) himeno::iterate(unused, p, f, sums.data(), false, nullptr);
    if (p.iterations > 0) gosa = unused.series["gosa"].back();
    std::vector<float> result(14 * points);
    next = result.data();
    for (float** array : himeno::pointers(f)) {
        if (p.processor.is_gpu())
            device::read_back(next, *array, points * sizeof(float), nullptr);
        else
            std::copy_n(*array, points, next);
        next += points;
    }
    return result;
}

nb::dict fields(const nb::dict& given) {
    const himeno::parameters p = parameters_of(given);
    double gosa = 0;
    auto owned = std::make_unique<std::vector<float>>(computed(p, gosa));
    float* next = owned->data();
    const nb::capsule owner(owned.release(), [](void* data) noexcept {
        delete static_cast<std::vector<float>*>(data);
    });
    nb::dict result;
    for (const char* name :
         {"p", "wrk2", "wrk1", "bnd", "a0", "a1", "a2", "a3", "b0", "b1", "b2", "c0", "c1", "c2"}) {
        result[name] = nb::cast(nb::ndarray<nb::numpy, float, nb::ndim<3>>(
            next, {p.size.i, p.size.j, p.size.k}, owner));
        next += p.size.points();
    }
    result["gosa"] = gosa;
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
    module.def("end_ranks", comm::finish,
               "Ends MPI where it was started: called by every rank of a trial that went well.");
    module.def("exchange_gpu_memory", comm::exchange_gpu_memory,
               "Gives GPU memory to MPI, between two ranks; raises where other data come. An MPI "
               "that does not know CUDA may crash.");
    module.def("himeno_fields", fields, nb::arg("parameters"),
               "The arrays and gosa after `iterations` (0: as they begin), by name. Any style: the "
               "arrays lie in the processor's own memory.");
}

static const binding himeno_bindings(bind_himeno);
