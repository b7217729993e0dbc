/// Several processes that measure at once: each waits before a sample until all have come to it.
///
/// The worker that starts them (python/watari/run/together.py) makes a file of two counters and
/// puts `WATARI_TOGETHER=COUNT:FILE` into their environment. Without it nothing waits.
#pragma once

namespace watari::measure {

/// Waits until every process is here; returns at once in a process that measures alone. Throws
/// system_error where the file that the environment names cannot be mapped.
void wait_for_the_others();

}  // namespace watari::measure
