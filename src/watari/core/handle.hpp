/// A move-only owner of a pointer-like handle.
#pragma once

#include <utility>

namespace watari {

/// Owns `Handle` and gives it back with `Release`, which must not throw.
template <class Handle, void (*Release)(Handle) noexcept>
class handle {
public:
    handle() = default;
    explicit handle(Handle value) noexcept : value_(value) {}
    handle(handle&& other) noexcept : value_(std::exchange(other.value_, Handle{})) {}
    handle& operator=(handle&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    ~handle() {
        if (value_ != Handle{}) Release(value_);
    }
    Handle get() const noexcept { return value_; }

private:
    Handle value_{};
};

}  // namespace watari
