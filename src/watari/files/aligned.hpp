/// Memory for direct I/O: it begins on a page.
#pragma once

#include "watari/core/handle.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace watari::files {

/// Direct I/O of any disk accepts multiples of this.
inline constexpr std::size_t page_bytes = 4096;

class aligned_bytes {
public:
    aligned_bytes() = default;
    explicit aligned_bytes(std::size_t size) : size_(size) {
        if (size == 0) return;
        void* data =
            std::aligned_alloc(page_bytes, (size + page_bytes - 1) / page_bytes * page_bytes);
        if (!data) throw std::bad_alloc();
        data_ = handle<void*, release>(data);
    }
    std::byte* data() const noexcept { return static_cast<std::byte*>(data_.get()); }
    std::size_t size() const noexcept { return size_; }

private:
    static void release(void* data) noexcept { std::free(data); }
    handle<void*, release> data_;
    std::size_t size_ = 0;
};

}  // namespace watari::files
