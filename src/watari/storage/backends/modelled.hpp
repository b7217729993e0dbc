/// A backend in memory with the latency and the rates of an SSD, so that the overhead of software
/// can be measured on a machine without that SSD.
///
/// A command occupies one shared medium for max(bytes / bandwidth, 1 / IOPS), then takes the
/// latency. Latencies overlap, times on the medium do not.
#pragma once

#include "watari/storage/backends/backend.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace watari::storage {

struct direction_model {
    double latency;    ///< seconds
    double bandwidth;  ///< bytes/s
    double iops;       ///< at 4 KiB or less
};

struct ssd_model {
    std::string_view name;
    std::string_view source;
    direction_model read, write;
};

/// All models. Rates are the makers' (sequential, 4 KiB random); no maker states a latency, so the
/// latencies are usual ones of such media.
std::span<const ssd_model> ssd_models();

/// Makes a namespace of zeros, served like the SSD of this name. Throws usage_error, beyond_memory.
std::shared_ptr<backend> make_modelled(std::size_t bytes, std::string_view name);

/// The same over a backend of the caller, which serves the data: one in memory.
std::shared_ptr<backend> make_modelled(std::shared_ptr<backend> memory, std::string_view name);

}  // namespace watari::storage
