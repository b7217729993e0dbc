/// Memory that threads of the CPU, threads of a GPU and devices share: loads, stores and
/// exchanges of plain words that each of them sees whole and in order, and a clock.
///
/// In watari::cpu by std::atomic_ref, in watari::gpu by cuda::atomic_ref with system scope.
/// exchange, fetch_add and compare_exchange acquire and release. A GPU may load and store memory
/// of the CPU, but where there is a bus between them it can do the other three only in its own.
#pragma once

#include "watari/core/backend.hpp"

#include WATARI_ATOMIC
