/// Converts meshes of `watari bem` and of case `hmatrix` between NumPy and the library.
#pragma once

#include "python/arrays.hpp"
#include "watari/hmatrix/surface/mesh.hpp"
#include "watari/hmatrix/tree/tree.hpp"

#include <cstdint>
#include <vector>

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
