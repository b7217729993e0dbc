// Kernels for both backends; see core/backend.hpp.
#include "watari/memory/rows/widen.hpp"

#include "watari/core/loops.hpp"
#include "watari/core/parallel/warp.hpp"

#include <bit>
#include <cstdint>

namespace watari::WATARI_BACKEND {

namespace {

/// The float of a float16's bits: its exponent is 112 less than a float's, which a product corrects
/// exactly, also for numbers that are subnormal.
WATARI_KERNEL inline float of_float16(std::uint16_t bits) {
    const std::uint32_t shifted = static_cast<std::uint32_t>(bits & 0x7fffU) << 13;
    const bool finite = (bits & 0x7c00U) != 0x7c00U;
    const std::uint32_t magnitude =
        finite ? std::bit_cast<std::uint32_t>(std::bit_cast<float>(shifted) * 0x1p112F)
               : shifted | 0x7f800000U;
    return std::bit_cast<float>(magnitude | static_cast<std::uint32_t>(bits & 0x8000U) << 16);
}

WATARI_KERNEL inline float of_bfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

void widen(const memory::half_rows& rows, stream_t stream) {
    for_each_warp(
        rows.count,
        [=] WATARI_KERNEL(std::size_t i) {
            const group lanes = group::active();
            const auto* const from = reinterpret_cast<const std::uint16_t*>(
                static_cast<const char*>(rows.from) + i * rows.from_stride + rows.skip_of(i));
            auto* const to =
                reinterpret_cast<float*>(static_cast<char*>(rows.to) + i * rows.to_stride);
            if (rows.type == half_type::float16)
                for (std::size_t k = lanes.rank(); k < rows.elements; k += lanes.size())
                    to[k] = of_float16(from[k]);
            else
                for (std::size_t k = lanes.rank(); k < rows.elements; k += lanes.size())
                    to[k] = of_bfloat16(from[k]);
        },
        stream);
}

}  // namespace
}  // namespace watari::WATARI_BACKEND

namespace watari::memory {

const widen_kernels widen_kernels::WATARI_BACKEND{.widen = WATARI_BACKEND::widen};

}  // namespace watari::memory
