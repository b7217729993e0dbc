/// Devices that fail on purpose, around any backend: users of a queue must survive their faults.
///
/// `make_faulty` spoils completions by a seeded schedule: each command meets at most one fault,
/// drawn by the chances below.
#pragma once

#include "watari/storage/backends/backend.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace watari::storage {

/// Chances from 0 to 1 that a command meets a fault; together at most 1. A fault delays data or a
/// completion by `delay` seconds at most.
struct fault_plan {
    std::uint64_t seed = 1;
    double delay = 1e-3;
    double reordered = 0;   ///< its completion arrives up to `delay` later, after others
    double delayed = 0;     ///< data and completion arrive `delay` later
    double duplicated = 0;  ///< the completion arrives, and up to `delay` later again
    double dropped = 0;     ///< served, but its completion never arrives
    double failed = 0;      ///< not served: unrecovered_read, write_fault or internal_error
    double late_data = 0;  ///< the completion of a read arrives first, its data up to `delay` later
    double bad_phase = 0;  ///< wrong phase tag first, the right one up to `delay` later
};

/// Throws usage_error if a chance is below 0 or their sum above 1.
std::shared_ptr<backend> make_faulty(std::shared_ptr<backend> inner, const fault_plan& plan);

/// A device with one kind of fault at a low rate, by its name: `late-data` for late_data. Throws
/// usage_error.
std::shared_ptr<backend> make_faulty(std::shared_ptr<backend> inner, std::string_view fault,
                                     std::uint64_t seed);
/// Seconds after which a command of such a device counts as lost: longer than any of its delays.
inline constexpr double faulty_timeout = 0.2;

}  // namespace watari::storage
