// A copy that the program asked for: staged, or made by the driver's own function (`as_is`).
#pragma once

#include "../copied.hpp"
#include "../event_log.hpp"
#include "../functions.hpp"
#include "../settings.hpp"
#include "staged.hpp"

namespace attach::staged {

constexpr bool to_device = false, to_host = true;

// In functions of a thread's own default stream, that one is meant by null.
inline stream own(stream on) { return on ? on : reinterpret_cast<stream>(std::uintptr_t{2}); }

// Copies that could be staged are recorded by their site; others are too many, and cost too little,
// to ask the driver about each.
template <class AsIs>
result stage_or(const transfer& asked, AsIs as_is) {
    const bool is_staged = settings().changes.staged;
    if (asked.bytes < least_copy || (!is_staged && !memory_log_folder()) || !is_pageable(asked))
        return as_is();
    const copy_name name = name_copy(asked.bytes);
    const std::uint64_t begun = now();
    result outcome;
    if (!is_staged || !name.is_chosen || !copy(asked, outcome)) {
        outcome = as_is();
        if (outcome == driver::success) compare_with(asked, now() - begun);
    }
    record_copy(name, !asked.is_to_host, asked.bytes, now() - begun);
    return outcome;
}

}  // namespace attach::staged
