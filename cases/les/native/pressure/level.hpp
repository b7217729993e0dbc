/// A p = b for the pressure on the levels of multigrid: -sum over open faces of
/// (p_neighbour - p) / d^2.
///
/// The finest level has its coefficients in the flags. A coarser level stores them: the mean of the
/// fine coefficients on a coarse face, a quarter of it if the face's axis was halved. Restriction
/// is the mean of the children, prolongation a copy to the children.
#pragma once

#include "../grid/grid.hpp"

#include <cstdint>

namespace watari::les {

/// A code of a coarse cell: in each of its six faces, the number of open fine faces out of four.
/// All bits of the code are set if all 24 fine faces are open. Half a word replaces three faces and
/// a diagonal.
namespace open_faces {
inline constexpr unsigned codes = 5 * 5 * 5 * 5 * 5 * 5, least = 65536 - codes;
inline constexpr unsigned room = (codes + 7) / 8 * 8;  ///< numbers of a table by the code
}  // namespace open_faces

/// The operator on one level, and that level's vectors.
template <class Real>
struct level {
    les::grid grid;
    bool halved[3]{};  ///< axes along which it has half the cells of the finer level
    const std::uint8_t* flags = nullptr;  ///< of the finest level; null on others
    Real per_d2[3]{};
    Real* face[3]{};        ///< of a coarser level: low faces
    std::uint16_t* open{};  ///< of the first coarser level: open_faces of its cells, or null
    Real* by_open{};        ///< 1 / diagonal, by the code in `open`
    Real* inverse{};        ///< 1 / diagonal, 0 in solid; on the finest level a table by the flag
    Real *r{}, *e{}, *scratch{};

    constexpr bool all_halved() const { return halved[0] && halved[1] && halved[2]; }
    constexpr bool finest() const { return flags != nullptr; }
};

}  // namespace watari::les
