/// The errors of objects, beside those of core/error.hpp.
#pragma once

#include "watari/core/error.hpp"

namespace watari::objects {

/// An object changed while it was read: what was read is of no one version.
class changed_error : public file_error {
public:
    using file_error::file_error;
    const char* name() const noexcept override { return "changed"; }
};

/// The bucket is there, and has no such key.
class no_such_object : public file_error {
public:
    using file_error::file_error;
};

/// There is no such upload: it was completed or aborted.
class no_such_upload : public file_error {
public:
    using file_error::file_error;
};

/// A server did not do what it was asked for, after all attempts.
class service_error : public error {
public:
    using error::error;
    const char* name() const noexcept override { return "service"; }
};

}  // namespace watari::objects
