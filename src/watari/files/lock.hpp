/// Locks of open files, which the kernel releases when their holder dies. On a file system without
/// locks (Lustre with some mount options) try_lock() always succeeds.
#pragma once

#include <sys/file.h>
#include <cerrno>

namespace watari::files {

enum class usage { shared, alone };

/// Takes a lock; false if another process holds one that excludes this usage.
inline bool try_lock(int file, usage how) {
    return flock(file, (how == usage::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 ||
           errno != EWOULDBLOCK;
}

/// Takes the lock alone; true only if the file system has locks and no other process holds one of
/// this file.
inline bool is_alone(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0; }

/// Takes the lock alone; waits until it is free.
inline void lock(int file) { flock(file, LOCK_EX); }

}  // namespace watari::files
