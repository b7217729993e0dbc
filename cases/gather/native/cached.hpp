/// Case `gather` with a file as source, larger than the memory of the processor perhaps: elements
/// are read through the cache of array<T> (watari/storage/cache).
#pragma once

#include "gather.hpp"

namespace watari::gather {

/// Runs one trial; see run. Throws what storage::controller and storage::mapping throw, too.
measure::trial run_cached(const parameters& p);

}  // namespace watari::gather
