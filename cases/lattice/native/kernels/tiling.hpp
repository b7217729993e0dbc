/// Tiles of 128 sites. A block of the GPU computes a tile for all systems (hop_tile.hpp).
#pragma once

#include "../problem/geometry.hpp"
#include "watari/core/backend.hpp"

namespace watari::gpu {

inline constexpr unsigned tile_sites = 128;

/// The shape of a tile: whole rows along t, in whole pieces of 32 consecutive sites. Tiles are
/// numbered along z, then y, then x.
struct tiling {
    unsigned x = 0, y = 0, z = 0;  ///< rows; 0: no tile fits the extents

    static tiling of(const lattice::extents& size) {
        const unsigned row = size.row(), piece = lattice::piece_sites;
        const unsigned z = row < piece ? piece / row : 1;
        if ((row & (row - 1)) != 0 || row > tile_sites || size.z % z != 0) return {};
        return {row * z * 4 <= tile_sites ? 2u : 1, row * z * 2 <= tile_sites ? 2u : 1, z};
    }
    bool fits() const { return z != 0; }

    /// The number of site `i` of a tile.
    WATARI_INLINE unsigned site(const lattice::extents& size, unsigned tile, unsigned i) const {
        const unsigned along_z = size.z / z, along_y = size.y / y, row = size.row();
        const unsigned tile_z = tile % along_z, line = tile / along_z;
        const unsigned tile_y = line % along_y, tile_x = line / along_y;
        const unsigned h = i % row, column = i / row, plane = column / z;
        return (((tile_x * x + plane / y) * size.y + tile_y * y + plane % y) * size.z + tile_z * z +
                column % z) *
                   row +
               h;
    }
};

}  // namespace watari::gpu
