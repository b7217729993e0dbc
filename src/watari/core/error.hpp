/// Typed errors: a message states the request, its numbers and a remedy.
///
/// Host code throws these; device code returns a status. `name()` is the key under which the
/// Python side finds the status, exit code and exception class (python/watari/common/errors.py).
#pragma once

#include <cstddef>
#include <source_location>
#include <stdexcept>
#include <string>

namespace watari {

/// Base of all errors of this library.
class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    virtual const char* name() const noexcept { return "failed"; }
};

/// A value or combination that the caller may not ask for.
class usage_error : public error {
public:
    using error::error;
    const char* name() const noexcept override { return "usage"; }
};

/// A capability that this machine or this build lacks; the message is the reason.
class unsupported : public error {
public:
    using error::error;
    const char* name() const noexcept override { return "unsupported"; }
};

/// The advice in a case that has these axes.
inline constexpr const char* smaller_or_oversubscribed =
    "choose a smaller size, or oversubscribe=yes to try all the same";

/// A request for more memory than there is.
class beyond_memory : public unsupported {
public:
    /// `what` asked for `requested` bytes where `available` bytes are; `advice` is a remedy.
    beyond_memory(const std::string& what, std::size_t requested, std::size_t available,
                  const std::string& advice = smaller_or_oversubscribed);
    const char* name() const noexcept override { return "beyond-memory"; }
    std::size_t requested;
    std::size_t available;
};

/// A file that is not what it must be, or cannot be written: the message names it.
class file_error : public error {
public:
    using error::error;
    const char* name() const noexcept override { return "file"; }
};

/// A CUDA call failed.
class gpu_error : public error {
public:
    using error::error;
    const char* name() const noexcept override { return "gpu"; }
};

/// A call to the operating system failed.
class system_error : public error {
public:
    /// The call that failed; appends the text of errno.
    system_error(const std::string& call, int error_number);
    const char* name() const noexcept override { return "system"; }
};

/// `1.5 GiB (1610612736 bytes)`, for messages.
std::string bytes_text(std::size_t bytes);

/// `copy.cpp:42`, for messages.
std::string where(const std::source_location& location);

}  // namespace watari
