// The Python module: wraps the library, does nothing else. Arguments come as the plain parameters
// of a case (python/watari/cases.py); a trial goes back as the dict that a result file keeps.
#include "python.hpp"

#include "build_facts.hpp"
#include "watari/bench/cases.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/hint.hpp"

#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

namespace {

using namespace watari;

/// The value that belongs to a word. Throws usage_error.
template <class Value>
Value chosen(const std::string& word, std::initializer_list<std::pair<const char*, Value>> table) {
    for (const auto& [known, value] : table)
        if (word == known) return value;
    throw usage_error("'" + word + "' is not known here");
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
    result.copy_engine = chosen<bool>(text(p, "means"), {{"kernel", false}, {"copy-engine", true}});
    result.streams = nb::cast<int>(p["streams"]);
    result.bidirectional = nb::cast<bool>(p["bidirectional"]);
    const std::string numa = text(p, "numa");
    result.numa_node = numa == "local" ? -1 : std::stoi(numa);
    result.thp =
        chosen<memory::huge_pages>(text(p, "thp"), {{"default", memory::huge_pages::as_set},
                                                    {"always", memory::huge_pages::always},
                                                    {"never", memory::huge_pages::never}});
    return result;
}

bench::access_parameters access_parameters(const nb::dict& p) {
    auto result = with_common<bench::access_parameters>(p);
    result.processor = processor_named(text(p, "processor"));
    const std::string memory = text(p, "memory");
    if (memory != "explicit") result.kind = memory::row(memory).kind;
    result.hint = memory::hint_named(text(p, "hint"));
    result.source = processor_named(text(p, "source")).kind;
    result.destination = processor_named(text(p, "destination")).kind;
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
    result.operation = chosen<bench::touch_operation>(
        text(p, "operation"), {{"first-touch", bench::touch_operation::first_touch},
                               {"prefetch", bench::touch_operation::prefetch},
                               {"fault", bench::touch_operation::fault}});
    return result;
}

bench::storage_parameters storage_parameters(const nb::dict& p) {
    auto result = with_common<bench::storage_parameters>(p);
    const auto number = [&](const char* name) { return nb::cast<std::size_t>(p[name]); };
    result.processor = processor_named(text(p, "processor"));
    result.engine = text(p, "engine");
    result.pattern = chosen<storage::pattern>(
        text(p, "pattern"),
        {{"random", storage::pattern::random}, {"sequential", storage::pattern::sequential}});
    result.direction = chosen<storage::direction>(
        text(p, "direction"),
        {{"read", storage::direction::read}, {"write", storage::direction::write}});
    result.cache =
        chosen<storage::cache_state>(text(p, "cache"), {{"none", storage::cache_state::none},
                                                        {"cold", storage::cache_state::cold},
                                                        {"warm", storage::cache_state::warm}});
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

/// A NumPy array that takes over a vector's memory.
nb::object array(std::vector<double> values) {
    auto owned = std::make_unique<std::vector<double>>(std::move(values));
    double* data = owned->data();
    const std::size_t size = owned->size();
    nb::capsule owner(owned.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(data, {size}, owner));
}

nb::dict residencies(const std::map<std::string, memory::residency>& seen) {
    nb::dict result;
    for (const auto& [name, where] : seen) result[name.c_str()] = as_dict(where);
    return result;
}

nb::dict histogram(const std::vector<measure::histogram::bucket>& buckets) {
    nb::list low, high, count;
    for (const auto& bucket : buckets) {
        low.append(bucket.low);
        high.append(bucket.high);
        count.append(bucket.count);
    }
    nb::dict result;
    result["unit"] = "s";
    result["low"] = low;
    result["high"] = high;
    result["count"] = count;
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
    nb::dict histograms;
    for (const auto& [name, buckets] : t.histograms) histograms[name.c_str()] = histogram(buckets);
    nb::list notes;
    for (const std::string& note : t.notes) notes.append(note);
    result["histograms"] = histograms;
    result["notes"] = notes;
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
        // names of files need not be UTF-8
        const nb::object text = nb::steal(PyUnicode_DecodeFSDefault(e.what()));
        PyErr_SetObject(nb::object(table[e.name()]).ptr(), text.ptr());
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

}  // namespace

nb::dict as_dict(measure::trial t) { return trial(std::move(t)); }

NB_MODULE(_native, module) {
    module.doc() = "libwatari";
    nb::register_exception_translator(raise_as_python);
    module.def("build", build,
               "How this module was built: version, revision, compiler, flags, cuda.");
    bind_machine(module);
    bind_memory(module);
    bind_himeno(module);
    bind_gemm(module);
    bind_case(module, "copy", copy_parameters, bench::copy, "One trial of case `copy`.");
    bind_case(module, "access", access_parameters, bench::access, "One trial of case `access`.");
    bind_case(module, "migration", migration_parameters, bench::migration,
              "One trial of case `migration`.");
    bind_case(module, "touch", touch_parameters, bench::touch, "One trial of case `touch`.");
    bind_case(
        module, "storage", storage_parameters, bench::storage,
        "One trial of case `storage`; `folder` is where its files lie, `seed` makes the order.");
}
