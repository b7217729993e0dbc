// Whether threads of this library may touch a range of the program's memory.
#pragma once

#include <cstddef>

namespace attach::staged {

// Whether all of it is anonymous memory that may be read, or written. A mapped file can end in the
// middle of a copy: then the thread that touches it gets SIGBUS, and the program expects that in
// its own. Asked anew for each copy, since malloc maps and unmaps without a call that could be
// replaced.
bool is_anonymous(const void* address, std::size_t bytes, bool is_written);

// Whether this process has memory of userfaultfd (watched.cpp).
bool are_pages_watched();

}  // namespace attach::staged
