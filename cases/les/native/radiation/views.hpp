/// View factors between the facets of a city: F_ij, the share of what facet i emits that reaches
/// facet j, and the share of the sky. Cells with leaves follow the facets: they take a share of
/// each ray that crosses them, and send rays in all directions from a surface of 4 k a V
/// (canopy.hpp).
///
///     A_i F_ij from rays:    256 Sobol points a facet, shifted for each facet (rays.hpp)
///     reciprocity:           G = (A F + (A F)^T) / 2, then 20 sweeps of
///                            d_i <- sqrt(d_i A_i (1 - sky_i) / sum_j G_ij d_j)
///     result:                S_ij = A_i F_ij = d_i G_ij d_j;   sky_i = 1 - sum_j S_ij / A_i
///
/// S is symmetric to the bit, so radiation between facets sums to zero. A sky may be slightly
/// negative: it is the remainder of a row. The same bits for any number of threads.
///
/// Memory: 8 bytes a non-zero, about 207 of them in a row; three times that while it is made.
#pragma once

#include "rays.hpp"
#include "watari/memory/buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace watari::les {

inline constexpr std::size_t usual_rays = 256;
inline constexpr int reciprocity_sweeps = 20;

/// The matrix S in rows, ascending columns; memory of the CPU. Behind the last row a product may
/// read row_sums elements (products.hpp), whose columns are 0.
struct view_factors {
    view_factors(std::vector<std::uint64_t> rows, std::vector<float> areas);

    std::size_t facets() const { return area.size(); }
    std::size_t nonzeros() const { return first.back(); }
    /// Sets the sky, the remainder of each row.
    void see_sky();

    std::vector<std::uint64_t> first;  ///< of each row, and the end of the last
    std::vector<float> area, sky;      ///< m2; share
    memory::buffer<std::uint32_t> column;
    memory::buffer<float> shared;  ///< m2
};

/// Rays a facet: a power of two.
view_factors trace_views(const parameters& p, const facet_list& facets,
                         std::size_t rays = usual_rays);

/// The areas of the facets and of the surfaces for leaves, m2.
std::vector<float> areas_of(const parameters& p, const facet_list& facets);

}  // namespace watari::les
