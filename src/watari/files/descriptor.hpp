/// An open file, owned.
#pragma once

#include "watari/files/file_error.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <string>
#include <utility>

namespace watari::files {

class descriptor {
public:
    /// Opens a file by open(2). Throws system_error with advice.
    descriptor(const std::string& path, int flags) : value_(open(path.c_str(), flags, 0644)) {
        if (value_ < 0) cannot_open(path, errno);
    }
    /// Takes over an open descriptor.
    explicit descriptor(int opened) noexcept : value_(opened) {}
    descriptor(descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~descriptor() {
        if (value_ >= 0) close(value_);
    }
    int get() const noexcept { return value_; }

private:
    int value_;
};

}  // namespace watari::files
