/// Sobol points in four dimensions (Joe and Kuo 2008, unscrambled), and the shift of a facet's
/// points. Coordinates are whole multiples of 2^-32, added modulo 1, so they are the same
/// everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace watari::les {

/// Two coordinates for the direction of a ray, two for the place where it begins.
using point = std::array<std::uint32_t, 4>;

/// The first `count` points, in the order of their index.
inline std::vector<point> sobol_points(std::size_t count) {
    struct generator {
        unsigned degree, coefficients;
        std::array<std::uint32_t, 3> first;
    };
    constexpr generator of[] = {{1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}};
    std::array<std::array<std::uint32_t, 32>, 4> numbers{};
    for (unsigned bit = 0; bit < 32; ++bit) numbers[0][bit] = 1;
    for (unsigned d = 1; d < 4; ++d) {
        const auto [degree, coefficients, first] = of[d - 1];
        auto& m = numbers[d];
        for (unsigned bit = 0; bit < 32; ++bit) {
            if (bit < degree) {
                m[bit] = first[bit];
                continue;
            }
            m[bit] = m[bit - degree] ^ m[bit - degree] << degree;
            for (unsigned k = 1; k < degree; ++k)
                if (coefficients >> (degree - 1 - k) & 1) m[bit] ^= m[bit - k] << k;
        }
    }
    std::vector<point> result(count);
    for (std::size_t n = 0; n < count; ++n)
        for (unsigned d = 0; d < 4; ++d)
            for (unsigned bit = 0; bit < 32; ++bit)
                if (n >> bit & 1) result[n][d] ^= numbers[d][bit] << (31 - bit);
    return result;
}

/// What is added to all points of facet number `facet`.
inline point shift_of(std::uint32_t facet) {
    const auto mixed = [](std::uint32_t x) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        return x ^ x >> 16;
    };
    const std::uint32_t own = mixed(facet + 1);
    return {mixed(own), mixed(own + 1), mixed(own + 2), mixed(own + 3)};
}

}  // namespace watari::les
