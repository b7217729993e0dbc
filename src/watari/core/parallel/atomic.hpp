/// Atomic loads, stores and exchanges of plain words with a memory order, and a clock.
///
/// There are two tables of the same operations. `everywhere`: among threads of the CPU, of a GPU
/// and devices, on memory that they share. `local`: among the threads of one processor, on memory
/// that only they use. On a GPU a release of `everywhere` also waits for writes over the link; a
/// release of `local` does not. A GPU may load and store memory of the CPU, but across a bus its
/// read-modify-write operations (fetch_add, exchange, replace, bits) are atomic only in its own
/// memory.
#pragma once

#include "watari/core/backend.hpp"

#include WATARI_ATOMIC
