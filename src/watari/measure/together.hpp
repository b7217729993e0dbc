/// Several processes that measure at once: each waits before a sample until all have reached it.
///
/// The worker that starts them (python/watari/run/together.py) makes a file of two counters and
/// puts `WATARI_TOGETHER=COUNT:FILE` into their environment. Without it nothing waits.
#pragma once

#include <optional>

namespace watari::measure {

/// Waits until every process has arrived. Returns the time when the last one arrived, by the host's
/// clock, which is the same in all of them. A process that measures alone gets nothing, at once.
/// Throws system_error where the file that the environment names cannot be mapped.
std::optional<double> wait_for_the_others();

}  // namespace watari::measure
