/// buffer<T>: an array in memory of one kind, owned.
#pragma once

#include "watari/core/error.hpp"
#include "watari/memory/kind.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace watari::memory {

/// A smaller block of CPU memory is taken without a check of what is available. The check reads
/// files of every control group above this process, and takes 0.1 ms.
inline constexpr std::size_t least_asked = std::size_t{1} << 20;

/// Memory of one kind, untyped; move-only. Pages are untouched until the first write, except for
/// `pinned` and `device` memory, which the driver populates.
class block {
public:
    /// Throws unsupported if the machine has no such memory, beyond_memory if it has not enough.
    block(memory::kind kind, std::size_t bytes, const placement& how = {})
        : row_(&row(kind)), bytes_(bytes), how_(how) {
        const std::string name(row_->name);
        if (const std::string reason = row_->unsupported(how.device); !reason.empty())
            throw unsupported(name + " memory: " + reason);
        if (bytes == 0) throw usage_error(name + " memory: 0 bytes asked for");
        const bool from_pool = row_->placed && how.page > 0;  // no part of what is available
        const bool small = row_->placed && bytes < least_asked;
        if (!how.oversubscribe && !from_pool && !small)
            if (const std::size_t available = row_->available(how.device); bytes > available)
                throw beyond_memory(name + " memory", bytes, available);
        data_ = row_->allocate(bytes, how);
    }
    block(block&& other) noexcept
        : row_(other.row_),
          bytes_(other.bytes_),
          how_(other.how_),
          data_(std::exchange(other.data_, nullptr)) {}
    block& operator=(block&& other) noexcept {
        std::swap(row_, other.row_);
        std::swap(bytes_, other.bytes_);
        std::swap(how_, other.how_);
        std::swap(data_, other.data_);
        return *this;
    }
    ~block() {
        if (data_) row_->release(data_, bytes_, how_);
    }

    void* data() const noexcept { return data_; }
    std::size_t bytes() const noexcept { return bytes_; }
    int device() const noexcept { return how_.device; }
    const kind_row& kind() const noexcept { return *row_; }

private:
    const kind_row* row_;
    std::size_t bytes_;
    placement how_;
    void* data_ = nullptr;
};

/// An array of `count` elements, not initialised: the first write places a page.
template <class T>
class buffer {
public:
    buffer(memory::kind kind, std::size_t count, const placement& how = {})
        : block_(kind, count * sizeof(T), how), count_(count) {}

    T* data() const noexcept { return static_cast<T*>(block_.data()); }
    std::size_t size() const noexcept { return count_; }
    const memory::block& block() const noexcept { return block_; }

private:
    memory::block block_;
    std::size_t count_;
};

}  // namespace watari::memory
