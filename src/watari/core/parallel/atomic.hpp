/// Loads, stores and exchanges of plain words that several threads use, each whole and in order,
/// and a clock.
///
/// Two tables of the same operations: `everywhere` among threads of the CPU, of a GPU and devices,
/// on memory that they share, and `local` among the threads of one processor, on memory that only
/// they use. On a GPU a release to everywhere waits for writes over the link too; a local one does
/// not. A GPU may load and store memory of the CPU, but where there is a bus between them it can
/// change a word as a whole (fetch_add, exchange, replace, bits) only in its own.
#pragma once

#include "watari/core/backend.hpp"

#include WATARI_ATOMIC
