/// Threads of a warp that work together; on the CPU a warp is one thread.
///
/// A `group` is the set of threads that created it at the same place. `rank` counts its threads
/// from 0; the thread of rank 0 leads. All threads of a group call its functions together.
#pragma once

#include "watari/core/backend.hpp"

#include WATARI_WARP
