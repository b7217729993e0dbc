/// A backend in memory with the latency and the rates of an SSD, so that what software adds can be
/// seen on a machine without that SSD.
///
/// A command takes its time on one shared medium (bytes over bandwidth, or one over the IOPS, what
/// is longer), then the latency; latencies overlap, times on the medium do not.
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

/// All models. Rates are the makers' (sequential, 4 KiB random); none of them states a latency, so
/// those are what such media usually take.
std::span<const ssd_model> ssd_models();

/// A namespace of zeros served as an SSD of this name would. Throws usage_error, beyond_memory.
std::shared_ptr<backend> make_modelled(std::size_t bytes, std::string_view name);

}  // namespace watari::storage
