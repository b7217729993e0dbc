// Rows of halves become rows of floats, on each processor: all of bfloat16 and float16.
#include "watari/memory/rows/widen.hpp"
#include "processors.hpp"
#include "watari/memory/buffer.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace watari::memory {
namespace widening {
namespace {

constexpr std::size_t elements = 256, rows = 257;  // 256 rows have every half once
constexpr std::size_t unit = 512, from_stride = elements * half_bytes + unit,
                      to_stride = elements * sizeof(float) + 64;

/// A float16 by its definition: sign, 5 bits of exponent, 10 bits of fraction.
float by_definition(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float sign = bits >> 15 ? -1.0F : 1.0F;
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                 : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25));
}

float expected(std::uint16_t bits, half_type type) {
    return type == half_type::float16
               ? by_definition(bits)
               : std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

class Widen : public testing::TestWithParam<processor> {};

TEST_P(Widen, EveryHalfIsExact) {
    const auto kind = shared_kind(GetParam());
    for (const half_type type : {half_type::float16, half_type::bfloat16}) {
        memory::buffer<std::byte> from(kind, rows * from_stride), to(kind, rows * to_stride);
        half_rows work{.from = from.data(),
                       .to = to.data(),
                       .count = rows,
                       .elements = elements,
                       .from_stride = from_stride,
                       .to_stride = to_stride,
                       .skip = 6,
                       .skip_step = 130,
                       .unit = unit,
                       .type = type};
        std::memset(to.data(), 0x5a, rows * to_stride);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t k = 0; k < elements; ++k) {
                const auto bits = static_cast<std::uint16_t>(i * elements + k);
                std::memcpy(from.data() + i * from_stride + work.skip_of(i) + k * half_bytes, &bits,
                            half_bytes);
            }
        kernels_on<widen_kernels>(GetParam()).widen(work, nullptr);
        if (GetParam().is_gpu()) device::synchronize(nullptr);
        for (std::size_t i = 0; i < rows; ++i) {
            const std::byte* row = to.data() + i * to_stride;
            for (std::size_t k = 0; k < elements; ++k) {
                float is = 0;
                std::memcpy(&is, row + k * sizeof is, sizeof is);
                const float should = expected(static_cast<std::uint16_t>(i * elements + k), type);
                if (std::isnan(should))
                    ASSERT_TRUE(std::isnan(is)) << i << " " << k;
                else
                    ASSERT_EQ(std::bit_cast<std::uint32_t>(is),
                              std::bit_cast<std::uint32_t>(should))
                        << i << " " << k;
            }
            for (std::size_t k = elements * sizeof(float); k < to_stride; ++k)
                ASSERT_EQ(row[k], std::byte{0x5a});
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Processors, Widen, testing::ValuesIn(processors()), processor_name);

}  // namespace
}  // namespace widening
}  // namespace watari::memory
