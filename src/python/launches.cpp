// Kernels that are compiled at run time: the compiler, and the launches that are samples.
#include "case.hpp"
#include "module.hpp"

#include "watari/core/device.hpp"
#include "watari/core/loaded/kernel.hpp"
#include "watari/core/loaded/nvrtc.hpp"
#include "watari/core/threads.hpp"
#include "watari/measure/launches.hpp"
#include "watari/memory/kind.hpp"
#include "watari/memory/room.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>
#include <vector>

using namespace watari;

namespace {

nb::tuple compile(const nvrtc& compiler, const std::string& source, const std::string& name,
                  int architecture, bool machine_code) {
    const nvrtc::compiled result =
        without_lock([&] { return compiler.compile(source, name, architecture, machine_code); });
    return nb::make_tuple(nb::bytes(result.image.data(), result.image.size()), result.messages);
}

/// A loaded kernel and its GPU.
struct kernel_on {
    processor gpu;
    loaded_kernel kernel;

    kernel_on(const std::string& on, const nb::bytes& image, const std::string& name)
        : gpu(current(on)), kernel({image.c_str(), image.size()}, name) {}

private:
    static processor current(const std::string& on) {
        const processor named = cases::processor_named(on);
        device::use(named.number);
        return named;
    }
};

measure::repeated_launch launch_of(const kernel_on& on, std::pair<unsigned, unsigned> shape,
                                   const nb::bytes& packed,
                                   const std::vector<std::size_t>& offsets) {
    return {&on.kernel,
            {shape.first, shape.second},
            {std::string(packed.c_str(), packed.size()), offsets}};
}

void launch(const kernel_on& on, std::pair<unsigned, unsigned> shape, const nb::bytes& packed,
            const std::vector<std::size_t>& offsets) {
    const measure::repeated_launch once = launch_of(on, shape, packed, offsets);
    const nb::gil_scoped_release released;
    device::use(on.gpu.number);
    once.kernel->launch(once.shape, once.arguments, nullptr);
    device::synchronize(nullptr);
}

nb::dict sample(const kernel_on& on, std::pair<unsigned, unsigned> shape, const nb::bytes& packed,
                const std::vector<std::size_t>& offsets, std::size_t samples) {
    const measure::repeated_launch repeated = launch_of(on, shape, packed, offsets);
    return trial_of(measure::sample_launches, repeated, on.gpu, samples);
}

nb::object parameters(const kernel_on& on) {
    const auto found = on.kernel.parameters();
    if (!found) return nb::none();
    return list_of(*found, [](const auto& p) { return nb::make_tuple(p.offset, p.bytes); });
}

void require_room(const std::vector<std::tuple<std::string, std::size_t, int>>& arrays,
                  bool oversubscribe) {
    std::vector<memory::demand> demands;
    for (const auto& [kind, bytes, device] : arrays)
        demands.push_back(
            {memory::row(kind).kind, bytes, {.device = device, .oversubscribe = oversubscribe}});
    memory::require_room(demands);
}

std::pair<int, bool> use_threads(int threads) {
    cpu::set_threads(threads);
    const cpu::team team = cpu::current_team();
    return {team.threads, team.pinned};
}

void bind(nb::module_& module) {
    nb::class_<nvrtc>(module, "Nvrtc", "The compiler of CUDA C++, loaded from a file.")
        .def(nb::init<const std::string&>(), nb::arg("file"), "Raises UnsupportedError.")
        .def_prop_ro("version", &nvrtc::version, "(major, minor).")
        .def_prop_ro("architectures", &nvrtc::architectures, "90 for compute capability 9.0.")
        .def("compile", compile, nb::arg("source"), nb::arg("name"), nb::arg("architecture"),
             nb::arg("machine_code"),
             "(image, messages). Raises UsageError with the compiler's messages.");
    nb::class_<kernel_on>(module, "LoadedKernel", "A compiled kernel on a GPU.")
        .def(nb::init<const std::string&, const nb::bytes&, const std::string&>(), nb::arg("on"),
             nb::arg("image"), nb::arg("name"))
        .def_prop_ro("parameters", parameters,
                     "(offset, bytes) of each, or None where the driver cannot tell.")
        .def("launch", launch, nb::arg("shape"), nb::arg("packed"), nb::arg("offsets"),
             "Launches (blocks, threads) once, and waits.")
        .def("sample", sample, nb::arg("shape"), nb::arg("packed"), nb::arg("offsets"),
             nb::arg("samples"), "Times launches one by one: the dict of a trial.");
    module.def("require_room", require_room, nb::arg("arrays"), nb::arg("oversubscribe"),
               "Raises BeyondMemoryError unless all (kind, bytes, device) fit at once.");
    module.def(
        "require_access",
        [](const std::string& kind, const std::string& by) {
            memory::require_access(memory::row(kind), cases::processor_named(by));
        },
        nb::arg("kind"), nb::arg("by"), "Raises UnsupportedError with the reason.");
    module.def("use_threads", use_threads, nb::arg("threads"),
               "Sets the threads of CPU loops: their number, and whether they are pinned.");
}

const binding bindings(bind);

}  // namespace
