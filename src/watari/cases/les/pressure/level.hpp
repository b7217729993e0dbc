/// A p = b for the pressure on the levels of multigrid: -sum over open faces of
/// (p_neighbour - p) / d^2.
///
/// The finest level has its coefficients in the flags. A coarser one stores them: the mean of the
/// fine ones on a coarse face, a quarter of it where the axis of the face was halved. Restriction
/// is the mean of the children, prolongation a copy to them.
#pragma once

#include "watari/cases/les/grid/grid.hpp"

#include <cstdint>

namespace watari::les {

/// How many of four fine faces are open in each of a coarse cell's six faces, in one number whose
/// bits are all set where all 24 are. Half a word stands for three faces and a diagonal.
namespace open_faces {
inline constexpr unsigned codes = 5 * 5 * 5 * 5 * 5 * 5, least = 65536 - codes;
inline constexpr unsigned room = (codes + 7) / 8 * 8;  ///< numbers of a table by it
}  // namespace open_faces

/// The operator on one level, and that level's vectors.
template <class Real>
struct level {
    les::grid grid;
    bool halved[3]{};  ///< axes along which it has half as many cells as the level above
    const std::uint8_t* flags = nullptr;  ///< of the finest
    Real per_d2[3]{};
    Real* face[3]{};        ///< of a coarser one: low faces
    std::uint16_t* open{};  ///< of the first coarser one: open_faces of its cells, or null
    Real* by_open{};        ///< 1 / diagonal by it
    Real* inverse{};        ///< 1 / diagonal, 0 in solid; of the finest a table by the flag
    Real *r{}, *e{}, *scratch{};

    constexpr bool all_halved() const { return halved[0] && halved[1] && halved[2]; }
    constexpr bool finest() const { return flags != nullptr; }
};

}  // namespace watari::les
