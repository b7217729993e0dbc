#include "surface.hpp"

#include "watari/core/error.hpp"

#include <string>

using namespace watari;

namespace {

hmatrix::mesh mesh_of(const table<double>& vertices, const table<std::int64_t>& triangles,
                      const column<std::int8_t>& signs) {
    if (vertices.shape(1) != 3 || triangles.shape(1) != 3)
        throw usage_error("vertices and triangles are arrays of three columns");
    if (signs.size() != 0 && signs.size() != triangles.shape(0))
        throw usage_error("signs has one element for each triangle, or none");
    hmatrix::mesh m;
    for (std::size_t i = 0; i < vertices.shape(0); ++i)
        m.vertices.push_back({vertices(i, 0), vertices(i, 1), vertices(i, 2)});
    for (std::size_t i = 0; i < triangles.shape(0); ++i) {
        hmatrix::triangle t{};
        for (std::size_t k = 0; k < 3; ++k) {
            if (triangles(i, k) < 0 || triangles(i, k) >= std::int64_t{1} << 32)
                throw usage_error("the mesh names vertex " + std::to_string(triangles(i, k)));
            t[k] = static_cast<std::uint32_t>(triangles(i, k));
        }
        m.triangles.push_back(t);
    }
    m.signs.assign(signs.data(), signs.data() + signs.size());
    return m;
}

}  // namespace

nb::tuple as_arrays(const hmatrix::mesh& m) {
    std::vector<double> vertices;
    std::vector<std::int64_t> triangles;
    for (const hmatrix::point& p : m.vertices) vertices.insert(vertices.end(), {p.x, p.y, p.z});
    for (const hmatrix::triangle& t : m.triangles)
        triangles.insert(triangles.end(), t.begin(), t.end());
    return nb::make_tuple(numpy(std::move(vertices), 3), numpy(std::move(triangles), 3),
                          numpy(std::vector<std::int8_t>(m.signs)));
}

checked_surface::checked_surface(const table<double>& vertices,
                                 const table<std::int64_t>& triangles,
                                 const column<std::int8_t>& signs, bool repaired)
    : mesh(hmatrix::checked(mesh_of(vertices, triangles, signs),
                            repaired ? hmatrix::repair::yes : hmatrix::repair::no, facts)),
      surface(mesh) {}

std::vector<double> checked_surface::in_order(const double* of_the_tree) const {
    std::vector<double> values(surface.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[surface.tree.order()[i]] = of_the_tree[i];
    return values;
}

nb::object checked_surface::areas() const {
    std::vector<double> values;
    for (const hmatrix::panel& one : surface.panels) values.push_back(one.area);
    return numpy(in_order(values.data()));
}

nb::list checked_surface::notes() const {
    nb::list all;
    for (const std::string& note : facts.notes()) all.append(note);
    return all;
}
