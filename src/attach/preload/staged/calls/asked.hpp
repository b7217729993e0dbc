// A copy that the program asked for: staged, or made by the driver's own function (`as_is`).
#pragma once

#include "../../calls/functions.hpp"
#include "../../log/copied.hpp"
#include "../../log/event_log.hpp"
#include "../../styles/settings.hpp"
#include "../early.hpp"
#include "../memory/known.hpp"
#include "../staged.hpp"

namespace attach::staged {

constexpr bool to_device = false, to_host = true;

// In functions of a thread's own default stream, that one is meant by null.
inline stream own(stream on) { return on ? on : reinterpret_cast<stream>(std::uintptr_t{2}); }

// Whether a copy may be worth asking the driver about its memory. Others are too many, and cost too
// little.
inline bool is_candidate(const transfer& asked) {
    return asked.bytes >= least_copy && is_noting() && is_worth_asking(asked);
}

// A candidate: staged if it is pageable. Those are recorded by their site.
template <class AsIs>
result stage_pageable_or(const transfer& asked, AsIs as_is) {
    if (!is_pageable(asked)) return as_is();
    const copy_name name = name_copy(asked.bytes);
    const std::uint64_t begun = now();
    result outcome;
    if (!settings().changes.staged || !name.is_chosen || !copy(asked, outcome)) {
        outcome = as_is();
        if (outcome == driver::success) compare_with(asked, now() - begun);
    }
    // one that fails moves no bytes: it may wait long for the error of earlier work
    if (outcome == driver::success)
        record_copy(name, !asked.is_to_host, asked.bytes, now() - begun);
    return outcome;
}

template <class AsIs>
result stage_or(const transfer& asked, AsIs as_is) {
    return is_candidate(asked) ? stage_pageable_or(asked, as_is) : as_is();
}

// The driver knows which of two pointers is the host's.
template <class AsIs>
result stage_either_or(const transfer& in, const transfer& out, AsIs as_is) {
    if (!is_candidate(in)) return as_is();
    return stage_pageable_or(in, [&] { return stage_pageable_or(out, as_is); });
}

}  // namespace attach::staged
