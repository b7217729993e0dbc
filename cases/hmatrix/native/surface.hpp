/// Converts meshes of `watari bem` and of case `hmatrix` between NumPy and the library.
#pragma once

#include "python/module.hpp"
#include "watari/hmatrix/surface/mesh.hpp"
#include "watari/hmatrix/tree/tree.hpp"

#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

template <class Element>
using table = nb::ndarray<const Element, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class Element>
using column = nb::ndarray<const Element, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Returns a NumPy array that takes over a vector's memory, with `width` elements per row; 0: one
/// dimension.
template <class Element>
nb::object numpy(std::vector<Element> values, std::size_t width = 0) {
    auto owned = std::make_unique<std::vector<Element>>(std::move(values));
    Element* const data = owned->data();
    const std::size_t size = owned->size();
    nb::capsule owner(owned.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<Element>*>(p); });
    if (width == 0) return nb::cast(nb::ndarray<nb::numpy, Element>(data, {size}, owner));
    return nb::cast(nb::ndarray<nb::numpy, Element>(data, {size / width, width}, owner));
}

/// Returns vertices, triangles, signs of the potential.
nb::tuple as_arrays(const watari::hmatrix::mesh& m);

/// A mesh that passed the checks, and its tree.
struct checked_surface {
    /// Throws usage_error.
    checked_surface(const table<double>& vertices, const table<std::int64_t>& triangles,
                    const column<std::int8_t>& signs, bool repaired);

    /// Returns one value per triangle, in the order of the mesh, from values in the tree's order.
    std::vector<double> in_order(const double* of_the_tree) const;
    nb::object areas() const;
    nb::list notes() const;

    watari::hmatrix::mesh_facts facts;
    watari::hmatrix::mesh mesh;
    watari::hmatrix::surface surface;
};
