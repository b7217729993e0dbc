/// Threads of a warp that do a thing together; on the CPU a warp is one thread.
///
/// A `group` is the set of threads that made it at the same place. `rank` counts its threads from
/// 0; the thread of rank 0 leads. Calls of a group's functions are for all of its threads.
#pragma once

#include "watari/core/backend.hpp"

#include WATARI_WARP
