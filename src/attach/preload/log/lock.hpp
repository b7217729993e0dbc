// The only lock of this library, for its log, tables and counts. fork acquires it, so that a child
// never inherits it held by a thread that the child does not have.
#pragma once

namespace attach {

struct guard {
    guard();
    ~guard();
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
};

}  // namespace attach
