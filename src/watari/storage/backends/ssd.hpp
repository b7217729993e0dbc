/// Models of an SSD: the moment at which a command ends that is submitted now. Time is a number, so
/// that a model runs by the clock (modelled.hpp) or by a simulated one (`closed_loop`).
///
/// A **data sheet** has a rate, requests per second and a latency. A command occupies one medium
/// for max(bytes / bandwidth, 1 / IOPS), then takes the latency.
///
/// **Measured rows** have the mean latency L(b, d) of requests of b bytes with d in flight, as fio
/// reports them. A command that finds n - 1 others in flight takes L(b, n), so that d requests in
/// flight get d / L(b, d) of them per second: Little's law makes rate and latency one number. L is
/// linear between rows, in logarithms. Commands of other sizes count by the time that they occupy
/// the saturated disk, 1 / max IOPS. Single latencies spread as in the nearest row.
#pragma once

#include "watari/storage/nvme/nvme.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The models of data sheets. Rates are the makers' (sequential, 4 KiB random); no maker states a
/// latency, so the latencies are usual ones of such media, and the error of such a model is not
/// known.
std::span<const ssd_model> ssd_models();

/// Parts of the requests whose latency a measured row states: least, percentiles of fio, most.
inline constexpr std::array<double, 19> shape_parts{
    0, .01, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99, .995, .999, .9995, .9999, 1};
/// Numbers of a measured row: 1 for writes, bytes, requests in flight, mean latency in seconds,
/// requests per second, and the latency of each part over the mean.
inline constexpr std::size_t row_numbers = 5 + shape_parts.size();

/// An SSD by the name of a data sheet, or by measured rows, one after the other.
struct ssd_description {
    std::string name;
    std::vector<double> rows{};
};

/// The model of one SSD. Threads may share it.
class ssd {
public:
    virtual ~ssd() = default;
    /// The moment at which a command that is submitted at `now` ends, in ns. A command has at most
    /// `largest` bytes.
    virtual std::int64_t due(opcode operation, std::size_t bytes, std::int64_t now) = 0;
    /// A command is no longer in flight.
    virtual void ended(opcode, std::size_t) {}
    /// Bytes of the largest command; the disk gets a longer request as several.
    virtual std::size_t largest() const { return ~std::size_t{0}; }
    /// For readers of results.
    virtual std::string source() const = 0;
};

/// Throws usage_error for an unknown name, and for rows that are none.
std::unique_ptr<ssd> make_ssd(const ssd_description& wanted);

/// Results of a model in simulated time.
struct simulated {
    double latency;  ///< mean, seconds
    double iops;
    double p50, p99;  ///< seconds
};

/// Keeps `depth` requests of `block` bytes in flight until `requests` of them have ended, each
/// submitted when an earlier one ends. The first `depth` do not count. `requests` is rounded up to
/// whole rounds of `depth`.
simulated closed_loop(ssd& disk, opcode operation, std::size_t block, std::size_t depth,
                      std::size_t requests);

}  // namespace watari::storage
