/// Locks of open files, which the kernel lifts when their holder dies. A file system without locks
/// (Lustre, as it may be mounted) has none that hinder.
#pragma once

#include <sys/file.h>
#include <cerrno>

namespace watari::files {

enum class usage { shared, alone };

/// False if another process has the file in use so that it excludes this usage.
inline bool try_lock(int file, usage how) {
    return flock(file, (how == usage::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 ||
           errno != EWOULDBLOCK;
}

/// True only where the file system has locks, and no other process holds one of this file.
inline bool is_alone(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0; }

/// Waits until it is free.
inline void lock(int file) { flock(file, LOCK_EX); }

}  // namespace watari::files
