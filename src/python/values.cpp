// Values of the library in the form that Python has them, for all modules.
#include "module.hpp"

#include "watari/core/error.hpp"

#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

using namespace watari;

namespace {

/// Returns a NumPy array that takes over a vector's memory.
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
    if (t.bytes_per_sample) result["bytes_per_sample"] = *t.bytes_per_sample;
    if (t.flops_per_sample) result["flops_per_sample"] = *t.flops_per_sample;
    result["first_sample_monotonic"] = t.first_sample;
    result["wrong_elements"] = t.wrong_elements;
    return result;
}

}  // namespace

nb::dict as_dict(measure::trial t) { return trial(std::move(t)); }

nb::dict as_dict(const memory::residency& seen) {
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
