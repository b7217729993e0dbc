/// Kernels of a GPU that benchmarks/les_variants.cpp compares; none of them until one is measured.
#pragma once

namespace watari::les {

enum variant : unsigned {
    fuse_last = 1,         ///< the last two sweeps of the finest level in one pass
    fuse_first = 2,        ///< its first two and the restriction in one pass
    fuse_second_last = 4,  ///< the same on the level below
    fuse_second_first = 8,
    short_columns = 16,  ///< two blocks share a column of a pass
    early_launch = 64,   ///< a kernel's blocks come while the last ones of the kernel before run
    unrolled = 32,       ///< three planes of a pass in a turn of its loop: nothing is moved
};
inline unsigned variants = 0;
inline unsigned tile_planes = 8;     ///< of packs, where a grid has enough cells
inline unsigned column_planes = 16;  ///< of columns of two cells
inline bool tries(variant which) { return (variants & which) != 0; }

}  // namespace watari::les
