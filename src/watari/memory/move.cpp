#include "watari/memory/move.hpp"

#include <cstring>

namespace watari::memory {

void copy(processor who, void* to, const void* from, std::size_t bytes, stream_t stream) {
    if (bytes == 0) return;  // memcpy takes no null pointer
    if (who.is_gpu())
        device::copy(to, from, bytes, stream);
    else
        std::memcpy(to, from, bytes);
}

void copy_rows(processor who, void* to, std::size_t to_stride, const void* from,
               std::size_t from_stride, std::size_t bytes, std::size_t rows, stream_t stream) {
    if (bytes == 0 || rows == 0) return;
    if (who.is_gpu())
        return device::copy_rows(to, to_stride, from, from_stride, bytes, rows, stream);
    for (std::size_t i = 0; i < rows; ++i)
        std::memcpy(static_cast<std::byte*>(to) + i * to_stride,
                    static_cast<const std::byte*>(from) + i * from_stride, bytes);
}

void wait(processor who, stream_t stream, std::source_location at) {
    if (who.is_gpu()) device::synchronize(stream, at);
}

void copy_now(processor who, void* to, const void* from, std::size_t bytes, stream_t stream) {
    copy(who, to, from, bytes, stream);
    wait(who, stream);
}

}  // namespace watari::memory
