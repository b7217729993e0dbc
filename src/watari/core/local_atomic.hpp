/// Atomic operations among the threads of one processor, on plain memory that only they use. On a
/// GPU a release to the whole system waits for writes over the link too; one within the GPU does
/// not.
#pragma once

#include "watari/core/backend.hpp"

#include WATARI_LOCAL_ATOMIC
