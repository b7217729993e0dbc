/// The leaves of trees: cells of air with a leaf area density a (1/m), and where one part of the
/// city keeps them: behind facets and nozzles, in the same array.
///
/// Drag acts at faces: Cd times the mean of a in the two cells of an open face. What leaves give to
/// the air is by cell. In fp32 a face has 12 bytes (its own element, that of its copy in the halo,
/// Cd a), a cell at most six faces and 20 bytes more: element, heat, vapour, and two numbers of
/// air.
#pragma once

#include "city.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace watari::les {

inline constexpr double leaf_drag = 0.2;  ///< Cd

/// A cell with leaves, counted over the whole city.
struct leaf_place {
    std::uint32_t k, j, i;
    double density;  ///< a, 1/m

    bool operator==(const leaf_place&) const = default;
};

/// The cells with leaves of the whole city, ascending by k, j, i; those of one cell are added.
std::vector<leaf_place> leaf_places(const parameters& p);

/// Throws usage_error for leaves outside the air, and for a density that is no number above 0.
void require_leaves(const parameters& p);

/// Open faces at which leaves slow the air of a part, first those along x, then y, then z; and its
/// cells with leaves. All pointers are into the processor's array `facets`.
template <class Real>
struct leaf_arrays {
    std::size_t faces[3]{}, cells = 0;
    std::uint32_t *face{}, *copy{};  ///< elements; `copy`: in the halo, or the face itself
    Real* drag{};                    ///< Cd a at each face, 1/m
    std::uint32_t* cell{};
    Real *heat{}, *vapour{};  ///< what a cell's air gets: K/s, and kg/kg a step
    Real* packed{};           ///< of its air: two numbers, the first is theta

    std::size_t all_faces() const { return faces[0] + faces[1] + faces[2]; }
};

/// Bytes behind the nozzles; 0 without trees.
std::size_t leaves_bytes(const parameters& p);
/// The arrays in `facets`, which may be null: then pointers are offsets. With counts.
template <class Real>
leaf_arrays<Real> leaves_in(std::byte* facets, const parameters& p);
/// Writes the faces and cells of the part; its leaves give nothing yet.
template <class Real>
void build_leaves(std::byte* facets, const parameters& p);

}  // namespace watari::les
