/// The result of a trial: every sample in order, and what was observed around them.
#pragma once

#include "watari/measure/histogram.hpp"
#include "watari/memory/residency.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace watari::measure {

/// A named part of a series: samples first <= i < last.
struct phase {
    std::string name;
    std::size_t first;
    std::size_t last;
};

/// A number with its unit.
struct quantity {
    double value;
    std::string unit;
};

/// The outcome of one case in this process. Times are seconds, sizes bytes.
struct trial {
    std::vector<double> host_s;    ///< host clock around launch and synchronise, by sample
    std::vector<double> device_s;  ///< between device events, by sample; empty on the CPU
    std::map<std::string, std::vector<double>> series;  ///< other values by sample
    std::vector<phase> phases;
    std::map<std::string, quantity> quantities;
    std::map<std::string, std::vector<histogram::bucket>> histograms;  ///< of single requests
    std::vector<std::string> notes;  ///< for the reader, such as a fallback
    std::map<std::string, memory::residency> residency_before;  ///< by array
    std::map<std::string, memory::residency> residency_after;
    /// Counted as the trial ran. Other cases follow from the parameters alone: their profile in
    /// Python counts for them.
    std::optional<double> bytes_per_sample, flops_per_sample;
    double first_sample = 0;         ///< CLOCK_MONOTONIC at the start of the first sample
    std::size_t wrong_elements = 0;  ///< of the verified elements, each once
};

}  // namespace watari::measure
