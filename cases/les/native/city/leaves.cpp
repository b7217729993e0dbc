#include "leaves.hpp"

#include "nozzles.hpp"
#include "watari/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

namespace watari::les {

namespace {

constexpr std::size_t numbers_of_leaf = 4;  ///< of a cell: i, j, k and density
constexpr std::size_t faces_of_cell = 6;

/// A face beside leaves, by axis and place in the part, and half of the density on one side.
struct half_face {
    unsigned axis;
    std::uint32_t k, j, i;
    double density;

    auto place() const { return std::tie(axis, k, j, i); }
};

/// A place in the part; false if it lies outside.
bool enters(const grid& g, std::uint32_t& j, std::uint32_t& i) {
    j -= static_cast<std::uint32_t>(g.origin.y);  // unsigned: also before the part
    i -= static_cast<std::uint32_t>(g.origin.x);
    return j < g.size.y && i < g.size.x;
}

std::vector<leaf_place> leaves_of_part(const parameters& p) {
    std::vector<leaf_place> result;
    for (leaf_place leaf : leaf_places(p))
        if (enters(p.grid, leaf.j, leaf.i)) result.push_back(leaf);
    return result;
}

bool is_air(const parameters& p, std::uint32_t k, std::uint32_t j, std::uint32_t i) {
    return p.heights[j * p.whole.x + i] <= k;
}

/// Both halves of each open face, next to each other.
std::vector<half_face> halves_of_faces(const parameters& p) {
    std::vector<half_face> result;
    const auto nx = static_cast<std::uint32_t>(p.whole.x),
               ny = static_cast<std::uint32_t>(p.whole.y);
    const auto add = [&](unsigned axis, const leaf_place& leaf, std::uint32_t k, std::uint32_t j,
                         std::uint32_t i) {
        half_face face{axis, k, j, i, leaf.density / 2};
        if (enters(p.grid, face.j, face.i)) result.push_back(face);
    };
    for (const leaf_place& leaf : leaf_places(p)) {
        const auto& [k, j, i, density] = leaf;
        const std::uint32_t west = i == 0 ? nx - 1 : i - 1, east = i + 1 == nx ? 0 : i + 1,
                            south = j == 0 ? ny - 1 : j - 1, north = j + 1 == ny ? 0 : j + 1;
        if (is_air(p, k, j, west)) add(0, leaf, k, j, i);
        if (is_air(p, k, j, east)) add(0, leaf, k, j, east);
        if (is_air(p, k, south, i)) add(1, leaf, k, j, i);
        if (is_air(p, k, north, i)) add(1, leaf, k, north, i);
        if (k > 0 && is_air(p, k - 1, j, i)) add(2, leaf, k, j, i);
        if (k + 1 < p.whole.z) add(2, leaf, k + 1, j, i);
    }
    std::sort(result.begin(), result.end(),
              [](const half_face& a, const half_face& b) { return a.place() < b.place(); });
    return result;
}

/// The faces with the sum of both halves.
std::vector<half_face> leafy_faces(const parameters& p) {
    std::vector<half_face> result;
    for (const half_face& half : halves_of_faces(p))
        if (!result.empty() && result.back().place() == half.place())
            result.back().density += half.density;
        else
            result.push_back(half);
    return result;
}

/// The element of the copy of a face in the halo, which the divergence of the last cells reads.
std::size_t copy_of(const grid& g, const half_face& face) {
    if (face.axis == 0 && face.i == 0 && g.around_x) return g.at(face.k, face.j, g.size.x);
    if (face.axis == 1 && face.j == 0 && g.around_y) return g.at(face.k, g.size.y, face.i);
    return g.at(face.k, face.j, face.i);
}

/// Bytes before the leaves, a multiple of the largest number.
std::size_t begin_of(const parameters& p) {
    constexpr std::size_t alignment = sizeof(double);
    return (facets_bytes(p) + nozzles_bytes(p) + alignment - 1) / alignment * alignment;
}

/// The arrays with room for six faces a cell.
template <class Real>
leaf_arrays<Real> laid_out(std::byte* facets, const parameters& p, std::size_t cells) {
    leaf_arrays<Real> result{.cells = cells};
    const std::size_t most = faces_of_cell * cells;
    result.drag = numbers<Real>(facets + begin_of(p));
    result.heat = result.drag + most;
    result.vapour = result.heat + cells;
    result.packed = result.vapour + cells;
    result.face = reinterpret_cast<std::uint32_t*>(result.packed + 2 * cells);
    result.copy = result.face + most;
    result.cell = result.copy + most;
    return result;
}

}  // namespace

std::vector<leaf_place> leaf_places(const parameters& p) {
    std::vector<leaf_place> all;
    for (std::size_t n = 0; n < p.trees.size(); n += numbers_of_leaf) {
        const double* const of = &p.trees[n];
        all.push_back({static_cast<std::uint32_t>(of[2]), static_cast<std::uint32_t>(of[1]),
                       static_cast<std::uint32_t>(of[0]), of[3]});
    }
    const auto place = [](const leaf_place& leaf) { return std::tie(leaf.k, leaf.j, leaf.i); };
    std::stable_sort(all.begin(), all.end(),
                     [&](const leaf_place& a, const leaf_place& b) { return place(a) < place(b); });
    std::vector<leaf_place> result;
    for (const leaf_place& leaf : all)
        if (!result.empty() && place(result.back()) == place(leaf))
            result.back().density += leaf.density;
        else
            result.push_back(leaf);
    return result;
}

void require_leaves(const parameters& p) {
    if (p.trees.size() % numbers_of_leaf != 0)
        throw usage_error("trees: four numbers for each cell with leaves");
    for (std::size_t n = 0; n < p.trees.size(); n += numbers_of_leaf) {
        const double* const of = &p.trees[n];
        for (unsigned a = 0; a < 3; ++a)
            if (!(of[a] >= 0 && of[a] < static_cast<double>(along(p.whole, a))))
                throw usage_error("trees: leaves outside the grid");
        if (!(of[3] > 0 && of[3] < INFINITY))
            throw usage_error("trees: a leaf area density is above 0");
    }
    for (const leaf_place& leaf : leaf_places(p))
        if (!is_air(p, leaf.k, leaf.j, leaf.i))
            throw usage_error("trees: leaves inside a building, at x " + std::to_string(leaf.i) +
                              ", y " + std::to_string(leaf.j) + ", z " + std::to_string(leaf.k));
}

std::size_t leaves_bytes(const parameters& p) {
    if (!p.has_trees()) return 0;
    // the faces of a part may belong to leaves beside it: room is for those of the whole city
    const std::size_t cells = leaf_places(p).size();
    const std::size_t each = faces_of_cell * (p.real_bytes() + 2 * sizeof(std::uint32_t)) +
                             4 * p.real_bytes() + sizeof(std::uint32_t);
    return begin_of(p) - facets_bytes(p) - nozzles_bytes(p) + cells * each;
}

template <class Real>
leaf_arrays<Real> leaves_in(std::byte* facets, const parameters& p) {
    if (!p.has_trees()) return {};
    leaf_arrays<Real> result = laid_out<Real>(facets, p, leaf_places(p).size());
    result.cells = leaves_of_part(p).size();
    for (const half_face& face : leafy_faces(p)) ++result.faces[face.axis];
    return result;
}

template <class Real>
void build_leaves(std::byte* facets, const parameters& p) {
    const leaf_arrays<Real> to = leaves_in<Real>(facets, p);
    std::size_t n = 0;
    for (const half_face& face : leafy_faces(p)) {
        to.face[n] = static_cast<std::uint32_t>(p.grid.at(face.k, face.j, face.i));
        to.copy[n] = static_cast<std::uint32_t>(copy_of(p.grid, face));
        to.drag[n++] = Real(leaf_drag * face.density);
    }
    n = 0;
    for (const leaf_place& leaf : leaves_of_part(p))
        to.cell[n++] = static_cast<std::uint32_t>(p.grid.at(leaf.k, leaf.j, leaf.i));
    std::fill_n(to.heat, to.cells, Real(0));
    std::fill_n(to.vapour, to.cells, Real(0));
    std::fill_n(to.packed, 2 * to.cells, Real(0));
}

template leaf_arrays<float> leaves_in(std::byte*, const parameters&);
template leaf_arrays<double> leaves_in(std::byte*, const parameters&);
template void build_leaves<float>(std::byte*, const parameters&);
template void build_leaves<double>(std::byte*, const parameters&);

}  // namespace watari::les
