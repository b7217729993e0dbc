// Kernels for both backends; see core/backend.hpp.
#include "watari/memory/rows/rows.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/warp.hpp"

#include <cstdint>

namespace watari::WATARI_BACKEND {

namespace {

void copy(const memory::rows& to, const memory::rows& from, std::size_t count, std::size_t bytes,
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

void checksum(std::uint64_t* sums, const memory::rows& of, std::size_t count, std::size_t bytes,
              std::size_t first, stream_t stream) {
    const std::size_t whole = bytes / 8, words = (bytes + 7) / 8;
    for_each_warp(
        count,
        [=] WATARI_KERNEL(std::size_t i) {
            const group lanes = group::active();
            const auto* const row = reinterpret_cast<const std::uint32_t*>(of.data + i * of.stride);
            const std::uint64_t position = (first + i) * words;
            std::uint64_t own = 0;
            for (std::size_t k = lanes.rank(); k < whole; k += lanes.size())
                own +=
                    memory::mixed(row[2 * k] | std::uint64_t{row[2 * k + 1]} << 32, position + k);
            if (whole < words && lanes.leads())
                own += memory::mixed(row[2 * whole], position + whole);
            const std::uint64_t sum = lanes.sum(own);
            if (lanes.leads()) sums[i] = sum;
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::memory {

const row_kernels row_kernels::WATARI_BACKEND{.copy = WATARI_BACKEND::copy,
                                              .checksum = WATARI_BACKEND::checksum};

}  // namespace watari::memory
