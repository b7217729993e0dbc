// Values of the library in the form that Python has them, for all modules.
#include "arrays.hpp"

#include "watari/core/error.hpp"

#include <utility>
#include <vector>

using namespace watari;

namespace {

nb::dict residencies(const std::map<std::string, memory::residency>& seen) {
    nb::dict result;
    for (const auto& [name, where] : seen) result[name.c_str()] = as_dict(where);
    return result;
}

nb::dict histogram(const std::vector<measure::histogram::bucket>& buckets) {
    using bucket = measure::histogram::bucket;
    nb::dict result;
    result["unit"] = "s";
    result["low"] = list_of(buckets, &bucket::low);
    result["high"] = list_of(buckets, &bucket::high);
    result["count"] = list_of(buckets, &bucket::count);
    return result;
}

nb::dict phase(const measure::phase& p) {
    nb::dict row;
    row["name"] = p.name;
    row["first"] = p.first;
    row["last"] = p.last;
    return row;
}

nb::dict trial(measure::trial t) {
    nb::dict result, series, quantities;
    for (auto& [name, values] : t.series) series[name.c_str()] = numpy(std::move(values));
    for (const auto& [name, q] : t.quantities) {
        nb::dict one;
        one["value"] = q.value;
        one["unit"] = q.unit;
        quantities[name.c_str()] = one;
    }
    nb::dict histograms;
    for (const auto& [name, buckets] : t.histograms) histograms[name.c_str()] = histogram(buckets);
    result["histograms"] = histograms;
    result["notes"] = list_of(t.notes);
    result["host_s"] = numpy(std::move(t.host_s));
    result["device_s"] = t.device_s.empty() ? nb::none() : numpy(std::move(t.device_s));
    result["series"] = series;
    result["phases"] = list_of(t.phases, phase);
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
