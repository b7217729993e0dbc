/// Surfaces: what grounds, roofs and walls are made of, and how they meet light and heat; the place
/// of the sun.
#pragma once

#include <array>

namespace watari::les {

/// One kind of surface, as a row of the table: albedo, emissivity, capacity, diffusivity.
using surface_row = std::array<double, 4>;
/// The rows of grounds, roofs, walls.
using surface_rows = std::array<surface_row, 3>;

/// Asphalt, roof, wall of surfaces.toml.
inline constexpr surface_rows usual_surfaces{
    {{0.12, 0.95, 1.94e6, 0.38e-6}, {0.2, 0.92, 1.37e6, 0.61e-6}, {0.3, 0.92, 1.37e6, 0.61e-6}}};

/// Elevation above the horizon and azimuth from north over east, degrees.
using sun_place = std::array<double, 2>;

enum class part_of_city { ground, roof, wall };

/// Shares are kept in single precision: the facets' balance uses those that the matrix uses.
struct surface_kind {
    float albedo, reflects_heat;   ///< of light; of long waves, 1 - emissivity
    double capacity, diffusivity;  ///< J/m3K, m2/s

    double emissivity() const { return 1.0 - double(reflects_heat); }
};

constexpr part_of_city part_of(unsigned direction, bool above_ground) {
    return direction > 0  ? part_of_city::wall
           : above_ground ? part_of_city::roof
                          : part_of_city::ground;
}

inline surface_kind kind_of(const surface_rows& rows, part_of_city part) {
    const surface_row& row = rows[static_cast<unsigned>(part)];
    return {static_cast<float>(row[0]), static_cast<float>(1 - row[1]), row[2], row[3]};
}

}  // namespace watari::les
