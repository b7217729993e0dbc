// The Python module: wraps the library, does nothing else. Arguments come as the plain parameters
// of a case (python/watari/cases.py); a trial goes back as the dict that a result file keeps.
#include "build_facts.hpp"
#include "watari/bench/cases.hpp"
#include "watari/bench/kernels.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/measure/pattern.hpp"
#include "watari/memory/hint.hpp"
#include "watari/memory/residency.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nb = nanobind;

void bind_machine(nb::module_& module);

namespace {

using namespace watari;

/// The number behind a colon: 1 of `gpu:1`, 0 of `gpu`.
int number_in(std::string_view word) {
    const std::size_t colon = word.find(':');
    if (colon == word.npos) return 0;
    int number = -1;
    std::from_chars(word.data() + colon + 1, word.data() + word.size(), number);
    if (number < 0) throw usage_error("'" + std::string(word) + "' ends in no number");
    return number;
}

processor processor_named(std::string_view word) {
    if (word == "cpu") return the_cpu;
    if (word.substr(0, word.find(':')) == "gpu") return gpu_number(number_in(word));
    throw usage_error("no processor is called '" + std::string(word) + "'");
}

bench::memory_end end_named(std::string_view word) {
    return {memory::row(word.substr(0, word.find(':'))).kind, number_in(word)};
}

std::string text(const nb::dict& p, const char* name) { return nb::cast<std::string>(p[name]); }

template <class Parameters>
Parameters with_common(const nb::dict& p) {
    Parameters result;
    result.size = nb::cast<std::size_t>(p["size"]);
    result.samples = nb::cast<std::size_t>(p["samples"]);
    result.threads = nb::cast<int>(p["threads"]);
    result.oversubscribe = nb::cast<bool>(p["oversubscribe"]);
    return result;
}

bench::copy_parameters copy_parameters(const nb::dict& p) {
    auto result = with_common<bench::copy_parameters>(p);
    result.processor = processor_named(text(p, "processor"));
    result.from = end_named(text(p, "from"));
    result.to = end_named(text(p, "to"));
    result.copy_engine = text(p, "means") == "copy-engine";
    result.streams = nb::cast<int>(p["streams"]);
    result.bidirectional = nb::cast<bool>(p["bidirectional"]);
    const std::string numa = text(p, "numa");
    result.numa_node = numa == "local" ? -1 : std::stoi(numa);
    const std::string thp = text(p, "thp");
    result.thp = thp == "always"  ? memory::huge_pages::always
                 : thp == "never" ? memory::huge_pages::never
                                  : memory::huge_pages::as_set;
    return result;
}

bench::access_parameters access_parameters(const nb::dict& p) {
    auto result = with_common<bench::access_parameters>(p);
    result.processor = processor_named(text(p, "processor"));
    const std::string memory = text(p, "memory");
    if (memory != "explicit") result.kind = memory::row(memory).kind;
    result.hint = memory::hint_named(text(p, "hint"));
    result.source = processor_named(text(p, "source"));
    result.destination = processor_named(text(p, "destination"));
    return result;
}

bench::migration_parameters migration_parameters(const nb::dict& p) {
    auto result = with_common<bench::migration_parameters>(p);
    result.kind = memory::row(text(p, "memory")).kind;
    result.hint = memory::hint_named(text(p, "hint"));
    const std::string phases = text(p, "phases");
    for (std::size_t first = 0; first < phases.size();) {
        const std::size_t plus = std::min(phases.find('+', first), phases.size());
        result.phases.push_back(processor_named(phases.substr(first, plus - first)));
        first = plus + 1;
    }
    return result;
}

bench::touch_parameters touch_parameters(const nb::dict& p) {
    auto result = with_common<bench::touch_parameters>(p);
    result.processor = processor_named(text(p, "processor"));
    result.kind = memory::row(text(p, "memory")).kind;
    const std::string operation = text(p, "operation");
    result.operation = operation == "prefetch" ? bench::touch_operation::prefetch
                       : operation == "fault"  ? bench::touch_operation::fault
                                               : bench::touch_operation::first_touch;
    return result;
}

/// A NumPy array that takes over a vector's memory.
nb::object array(std::vector<double> values) {
    auto owned = std::make_unique<std::vector<double>>(std::move(values));
    double* data = owned->data();
    const std::size_t size = owned->size();
    nb::capsule owner(owned.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(data, {size}, owner));
}

nb::dict residency(const memory::residency& seen) {
    nb::dict result, nodes;
    for (const auto& [node, bytes] : seen.nodes) nodes[nb::cast(std::to_string(node))] = bytes;
    result["method"] = seen.method;
    result["bytes"] = seen.bytes;
    result["cpu"] = seen.cpu;
    result["gpu"] = seen.gpu;
    result["untold"] = seen.untold;
    result["nodes"] = nodes;
    return result;
}

nb::dict residencies(const std::map<std::string, memory::residency>& seen) {
    nb::dict result;
    for (const auto& [name, where] : seen) result[name.c_str()] = residency(where);
    return result;
}

nb::dict trial(measure::trial t) {
    nb::dict result, series, quantities;
    nb::list phases;
    for (auto& [name, values] : t.series) series[name.c_str()] = array(std::move(values));
    for (const auto& [name, q] : t.quantities) {
        nb::dict one;
        one["value"] = q.value;
        one["unit"] = q.unit;
        quantities[name.c_str()] = one;
    }
    for (const auto& p : t.phases) {
        nb::dict one;
        one["name"] = p.name;
        one["first"] = p.first;
        one["last"] = p.last;
        phases.append(one);
    }
    result["host_s"] = array(std::move(t.host_s));
    result["device_s"] = t.device_s.empty() ? nb::none() : array(std::move(t.device_s));
    result["series"] = series;
    result["phases"] = phases;
    result["quantities"] = quantities;
    result["residency_before"] = residencies(t.residency_before);
    result["residency_after"] = residencies(t.residency_after);
    result["bytes_per_sample"] = t.bytes_per_sample;
    result["flops_per_sample"] = t.flops_per_sample;
    result["first_sample_monotonic"] = t.first_sample;
    result["wrong_elements"] = t.wrong_elements;
    return result;
}

/// Binds one case: dict of parameters -> dict of a trial, without the interpreter's lock.
template <class Parameters>
void bind_case(nb::module_& module, const char* name, Parameters (*read)(const nb::dict&),
               measure::trial (*run)(const Parameters&), const char* doc) {
    module.def(
        name,
        [read, run](const nb::dict& p) {
            const Parameters parameters = read(p);
            measure::trial result;
            {
                const nb::gil_scoped_release released;
                result = run(parameters);
            }
            return trial(std::move(result));
        },
        nb::arg("parameters"), doc);
}

/// C++ errors become the Python class of the same name in watari.errors.TABLE.
void raise_as_python(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const error& e) {
        const nb::object table = nb::module_::import_("watari.errors").attr("TABLE");
        PyErr_SetString(nb::object(table[e.name()]).ptr(), e.what());
    }
}

nb::dict build() {
    nb::dict result;
    result["version"] = build_facts::version;
    result["revision"] = build_facts::revision;
    result["compiler"] = build_facts::compiler;
    result["flags"] = build_facts::flags;
    result["cuda"] = build_facts::cuda;
    return result;
}

using bytes = memory::block;

/// The memory of a block as a NumPy array of doubles, or on a GPU through DLPack; not copied.
nb::object view(nb::handle self) {
    const bytes& range = nb::cast<const bytes&>(self);
    const std::size_t count = range.bytes() / sizeof(double);
    if (range.kind().cpu_can_address)
        return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(range.data(), {count}, self));
    return nb::cast(nb::ndarray<double, nb::ndim<1>>(range.data(), {count}, self, {},
                                                     nb::dtype<double>(), nb::device::cuda::value,
                                                     range.device()));
}

void bind_memory(nb::module_& module) {
    nb::class_<bytes>(module, "Buffer", "Memory of one kind; pages are untouched at first.")
        .def(
            "__init__",
            [](bytes* self, const std::string& kind, std::size_t size, int device,
               bool oversubscribe) {
                new (self) bytes(memory::row(kind).kind, size,
                                 {.device = device, .oversubscribe = oversubscribe});
            },
            nb::arg("kind"), nb::arg("size"), nb::arg("device") = 0,
            nb::arg("oversubscribe") = false,
            "`size` bytes of memory of `kind`. Raises UnsupportedError, BeyondMemoryError.")
        .def_prop_ro("size", &bytes::bytes, "Bytes.")
        .def_prop_ro(
            "kind", [](const bytes& b) { return std::string(b.kind().name); }, "Its kind's name.")
        .def("array", view, "The memory as doubles: NumPy, or DLPack for device memory; no copy.")
        .def(
            "residency",
            [](const bytes& b, bool touched) { return residency(memory::locate(b, touched)); },
            nb::arg("all_touched") = true, "Bytes by side, as the operating system tells.")
        .def(
            "advise",
            [](const bytes& b, const std::string& hint, const std::string& gpu) {
                memory::advise(b, memory::hint_named(hint), processor_named(gpu));
            },
            nb::arg("hint"), nb::arg("gpu") = "gpu", "Gives a hint to the driver.")
        .def(
            "prefetch",
            [](const bytes& b, const std::string& to) {
                memory::prefetch(b, processor_named(to), nullptr);
                device::synchronize(nullptr);
            },
            nb::arg("to"), "Moves the memory to a processor, and waits.")
        .def(
            "fill",
            [](const bytes& b, const std::string& by, std::uint64_t seed) {
                const processor who = processor_named(by);
                memory::require_access(b.kind(), who);
                measure::pattern_on(who).fill(static_cast<double*>(b.data()),
                                              b.bytes() / sizeof(double), seed, nullptr);
                if (who.is_gpu()) device::synchronize(nullptr);
            },
            nb::arg("by"), nb::arg("seed") = 1, "Writes the pattern of a seed: the first touch.")
        .def(
            "mismatches",
            [](const bytes& b, const std::string& by, std::uint64_t seed) {
                const processor who = processor_named(by);
                memory::require_access(b.kind(), who);
                return measure::pattern_on(who).mismatches(static_cast<const double*>(b.data()),
                                                           b.bytes() / sizeof(double), seed,
                                                           nullptr);
            },
            nb::arg("by"), nb::arg("seed") = 1, "Doubles that are not the pattern of a seed.")
        .def(
            "copy_from",
            [](const bytes& to, const bytes& from, const std::string& by, std::size_t first,
               std::size_t count) {
                const processor who = processor_named(by);
                memory::require_access(to.kind(), who);
                memory::require_access(from.kind(), who);
                if ((first + count) * sizeof(double) > std::min(to.bytes(), from.bytes()))
                    throw usage_error("copy_from: the range is longer than the buffers");
                bench::kernels_on(who).copy(static_cast<double*>(to.data()) + first,
                                            static_cast<const double*>(from.data()) + first, count,
                                            nullptr);
                if (who.is_gpu()) device::synchronize(nullptr);
            },
            nb::arg("source"), nb::arg("by"), nb::arg("first"), nb::arg("count"),
            "Copies doubles [first, first + count) with the kernel that the cases time.");
    module.def(
        "unsupported",
        [](const std::string& kind, int device) { return memory::row(kind).unsupported(device); },
        nb::arg("kind"), nb::arg("device") = 0,
        "Why a kind of memory is not here; empty if it is.");
}

}  // namespace

NB_MODULE(_native, module) {
    module.doc() = "libwatari";
    nb::register_exception_translator(raise_as_python);
    module.def("build", build,
               "How this module was built: version, revision, compiler, flags, cuda.");
    bind_machine(module);
    bind_memory(module);
    bind_case(module, "copy", copy_parameters, bench::copy, "One trial of case `copy`.");
    bind_case(module, "access", access_parameters, bench::access, "One trial of case `access`.");
    bind_case(module, "migration", migration_parameters, bench::migration,
              "One trial of case `migration`.");
    bind_case(module, "touch", touch_parameters, bench::touch, "One trial of case `touch`.");
}
