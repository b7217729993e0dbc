// The one lock of this library: of its log, its tables, its counts. Fork takes it, so that a child
// never inherits it held by a thread that it does not have.
#pragma once

namespace attach {

struct guard {
    guard();
    ~guard();
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
};

}  // namespace attach
