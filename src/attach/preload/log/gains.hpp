// What the changes did in this process: how often, with how many bytes, and an estimate of the
// seconds that this saved. The event log gets the totals (event `changed`); with
// WATARI_CHANGES_VERBOSE standard error gets them in one line at exit. A process that ends by _exit
// or a signal prints nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../styles/changes.hpp"

namespace attach {

// Called when CUDA begins: from now on the line says so if nothing was changed.
void expect_gains();

// Counts one use of a change. `saved`: nanoseconds, negative if it took longer.
void add_gain(change which, std::size_t bytes, std::int64_t saved);

// Writes the totals to the event log. The caller holds the lock (lock.hpp).
void record_gains();

// Called in the child of a fork, which counts anew.
void forget_gains();

}  // namespace attach
