/// Devices that fail on purpose, around any backend: what the users of a queue must survive.
///
/// `make_faulty` spoils completions by a seeded schedule: each command meets at most one fault,
/// drawn by the chances below.
#pragma once

#include "watari/storage/backends/backend.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace watari::storage {

/// Chances from 0 to 1 that a command meets a fault; together at most 1. `delay` seconds at most
/// pass between what a fault separates.
struct fault_plan {
    std::uint64_t seed = 1;
    double delay = 1e-3;
    double reordered = 0;   ///< its completion comes up to `delay` later, after others
    double delayed = 0;     ///< data and completion come `delay` later
    double duplicated = 0;  ///< the completion comes, and up to `delay` later once more
    double dropped = 0;     ///< served, but no completion ever
    double failed = 0;      ///< not served: unrecovered_read, write_fault or internal_error
    double late_data = 0;   ///< a read's completion comes first, its data up to `delay` later
    double bad_phase = 0;   ///< shown with the wrong phase tag first, truly up to `delay` later
};

/// Throws usage_error for chances that cannot be.
std::shared_ptr<backend> make_faulty(std::shared_ptr<backend> inner, const fault_plan& plan);

/// One kind of fault, now and then, by its name: `late-data` for late_data. Throws usage_error.
std::shared_ptr<backend> make_faulty(std::shared_ptr<backend> inner, std::string_view fault,
                                     std::uint64_t seed);
/// Seconds after which a command of such a device is lost: longer than it delays any.
inline constexpr double faulty_timeout = 0.2;

}  // namespace watari::storage
