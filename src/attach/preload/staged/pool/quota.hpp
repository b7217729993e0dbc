// The CPUs that the control groups of this process grant it.
#pragma once

namespace attach::staged {

// At most `cpus`; fewer, but at least 1, where a group of either version, or one above it, has a
// quota.
unsigned cpus_of_quota(unsigned cpus);

}  // namespace attach::staged
