// Kernels for both backends; see core/backend.hpp.
#include "watari/gemm/rows.hpp"

#include "watari/core/backend.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

namespace {

void copy(const gemm::rows& to, const gemm::rows& from, std::size_t count, std::size_t bytes,
          stream_t stream) {
    const std::size_t words = bytes / sizeof(std::uint32_t);
    for_each(
        count * words,
        [=] WATARI_KERNEL(std::size_t i) {
            const std::size_t row = i / words, word = i % words;
            reinterpret_cast<std::uint32_t*>(to.data + row * to.stride)[word] =
                reinterpret_cast<const std::uint32_t*>(from.data + row * from.stride)[word];
        },
        stream);
}

}  // namespace

extern const gemm::row_kernels row_table{.copy = copy};

}  // namespace watari::WATARI_BACKEND
