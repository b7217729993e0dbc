#include "errors.hpp"
#include "watari/core/error.hpp"
#include "watari/hmatrix/surface/panel.hpp"
#include "watari/hmatrix/surface/shapes.hpp"
#include "watari/hmatrix/tree/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace watari::hmatrix {
namespace {

double area_of(const mesh& m) {
    double sum = 0;
    for (const panel& one : panels_of(m)) sum += one.area;
    return sum;
}
double volume_of(const mesh& m) {
    double sum = 0;
    for (const panel& one : panels_of(m))
        sum += dot(one.corners[0], cross(one.corners[1], one.corners[2])) / 6;
    return sum;
}

TEST(shapes, are_closed_outward_and_of_the_known_size) {
    struct row {
        const char* name;
        std::size_t triangles, vertices, parts;
        double area, volume;
    };
    const row rows[] = {{"cube:4", 192, 98, 1, 6, 1},
                        {"icosphere:4", 320, 162, 1, 12.3290627884, 4.0470053674},
                        {"spheres:4", 640, 324, 2, 1.5411328485, 0.1264689177},
                        {"bumpy:16", 5120, 2562, 1, 7.5965535612, 1.3257131124},
                        {"bumpy:64", 81920, 40962, 1, 7.7560810740, 1.3307123234},
                        {"scan:16", 5120, 2562, 1, 12.6256669667, 1.5711371550},
                        {"scan:71", 100820, 50412, 1, 13.0695114164, 1.5828566198}};
    for (const row& r : rows) {
        const mesh made = shape(r.name);
        EXPECT_EQ(made.triangles.size(), r.triangles) << r.name;
        EXPECT_EQ(triangles_of(r.name), r.triangles);
        EXPECT_EQ(made.vertices.size(), r.vertices);
        EXPECT_NEAR(area_of(made), r.area, 1e-10);
        EXPECT_NEAR(volume_of(made), r.volume, 1e-10);
        mesh_facts facts;
        const mesh same = checked(made, repair::no, facts);
        EXPECT_EQ(same.triangles, made.triangles);
        EXPECT_EQ(facts.parts, r.parts);
        EXPECT_TRUE(facts.notes().empty());
    }
}

/// The triangles at each edge, by its vertices.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> edges_of(
    const mesh& m) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> edges;
    for (std::size_t t = 0; t < m.triangles.size(); ++t)
        for (int corner = 0; corner < 3; ++corner)
            edges[std::minmax(m.triangles[t][corner], m.triangles[t][(corner + 1) % 3])].push_back(
                t);
    return edges;
}

TEST(shapes, scan_has_slivers_sharp_edges_and_the_euler_number_of_a_sphere) {
    const mesh made = shape("scan:71");
    const std::vector<panel> panels = panels_of(made);
    const auto edges = edges_of(made);
    EXPECT_EQ(made.vertices.size() + made.triangles.size() - edges.size(), 2u);
    std::size_t sharp = 0;
    for (const auto& [ends, sides] : edges) {
        ASSERT_EQ(sides.size(), 2u);
        sharp += dot(panels[sides[0]].normal, panels[sides[1]].normal) < 0.5;  // beyond 60 degrees
    }
    EXPECT_GT(sharp, 5u * 71);  // the crest goes round
    std::size_t of_the_crest = 0;
    for (const point& p : made.vertices) {
        if (p.y < 1) continue;
        ++of_the_crest;
        EXPECT_LT(std::abs(p.z), 0.03);  // 0.06 thick at most, and 0.5 high
    }
    EXPECT_GT(of_the_crest, 100u);
    // the longest edge over its height: 1.15 where all edges are equal
    std::size_t beyond[3]{};
    double least = 1e9, small = 1e9, large = 0;
    for (const panel& one : panels) {
        const double ratio = one.size * one.size / (2 * one.area);
        least = std::min(least, ratio);
        beyond[0] += ratio > 3, beyond[1] += ratio > 30, beyond[2] += ratio > 300;
        small = std::min(small, one.area), large = std::max(large, one.area);
    }
    EXPECT_LT(least, 1.2);
    EXPECT_GT(beyond[0], panels.size() / 5);
    EXPECT_GT(beyond[1], panels.size() / 100);
    EXPECT_GT(beyond[2], 0u);
    EXPECT_GT(large / small, 1e4);
}

TEST(shapes, refuse_what_is_none) {
    for (const char* text :
         {"cube", "cube:", "cube:0", "cube:x", "cube:-1", "cube:10001", "ball:3"})
        EXPECT_THROW(shape(text), usage_error) << text;
    EXPECT_TRUE(names_shape("cube:x"));
    EXPECT_FALSE(names_shape("dragon.ply"));
}

TEST(mesh, without_volume_is_refused_if_closed) {
    const std::vector<point> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const std::vector<triangle> top{{0, 1, 2}, {0, 2, 3}}, bottom{{0, 3, 1}, {1, 3, 2}};
    mesh_facts facts;
    EXPECT_NO_THROW(checked({square, top}, repair::no, facts));  // a plate
    mesh flat{square, top};
    flat.triangles.insert(flat.triangles.end(), bottom.begin(), bottom.end());
    EXPECT_THROW(checked(flat, repair::no, facts), usage_error);
    EXPECT_THROW(checked(flat, repair::yes, facts), usage_error);
    for (point& p : flat.vertices) p = {p.x + p.y + 1e3, p.y - p.x, 2 * p.x + 3 * p.y};
    EXPECT_THROW(checked(flat, repair::no, facts), usage_error);
    flat.vertices[2].z += 1e-6;  // a tetrahedron
    EXPECT_NO_THROW(checked(flat, repair::no, facts));
}

TEST(mesh, is_refused_with_counts_or_repaired) {
    mesh given = shape("cube:2");
    const std::size_t sound = given.triangles.size();
    const auto [a, b, c] = given.triangles[5];
    given.triangles.push_back({b, c, a});  // once more
    given.triangles.push_back({a, c, b});  // the other way round
    given.triangles.push_back({a, b, a});  // no area
    mesh_facts facts;
    expect_error<usage_error>([&] { checked(given, repair::no, facts); },
                              {"2 duplicate triangles", "1 triangle without area"});
    const mesh repaired = checked(given, repair::yes, facts);
    EXPECT_EQ(repaired.triangles.size(), sound);
    EXPECT_EQ(facts.duplicates, 2u);
    EXPECT_EQ(facts.zero_areas, 1u);
    EXPECT_EQ(facts.open_edges, 0u);
}

TEST(mesh, has_its_orientation_repaired) {
    mesh given = shape("spheres:2");
    for (std::size_t t = 0; t < given.triangles.size(); t += 3)
        std::swap(given.triangles[t][0], given.triangles[t][1]);
    mesh_facts facts;
    const mesh repaired = checked(given, repair::no, facts);
    EXPECT_EQ(facts.turned, (given.triangles.size() + 2) / 3);
    EXPECT_NEAR(volume_of(repaired), volume_of(shape("spheres:2")), 1e-14);
    for (triangle& t : given.triangles) std::swap(t[0], t[1]);  // most of them inward
    EXPECT_NEAR(volume_of(checked(given, repair::no, facts)), volume_of(repaired), 1e-14);
}

TEST(mesh, merges_vertices_that_a_file_repeats) {
    const mesh whole = shape("icosphere:3");
    mesh apart;
    for (const triangle& t : whole.triangles) {
        const auto first = static_cast<std::uint32_t>(apart.vertices.size());
        for (const std::uint32_t v : t) apart.vertices.push_back(whole.vertices[v]);
        apart.triangles.push_back({first, first + 1, first + 2});
    }
    mesh_facts facts;
    checked(apart, repair::no, facts);
    EXPECT_EQ(facts.merged_vertices, 3 * whole.triangles.size() - whole.vertices.size());
    EXPECT_EQ(facts.open_edges, 0u);
    EXPECT_EQ(facts.parts, 1u);
}

TEST(mesh, may_be_open_or_crowded_with_a_note) {
    mesh plate{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 3, 2}}};
    mesh_facts facts;
    checked(plate, repair::no, facts);
    EXPECT_EQ(facts.open_edges, 4u);
    EXPECT_EQ(facts.turned, 1u);
    plate.vertices.push_back({0.5, 0.5, 1});
    plate.triangles.push_back({0, 2, 4});
    checked(plate, repair::no, facts);
    EXPECT_EQ(facts.crowded_edges, 1u);
    EXPECT_EQ(facts.notes().size(), 2u);
}

TEST(mesh, of_nonsense_is_refused) {
    mesh_facts facts;
    const double infinite = std::numeric_limits<double>::infinity();
    const mesh nonsense[] = {{},
                             {{{0, 0, 0}}, {}},
                             {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}},
                             {{{0, 0, 0}, {1, 0, 0}, {0, infinite, 0}}, {{0, 1, 2}}},
                             {{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 2}}}};
    for (const mesh& one : nonsense) EXPECT_THROW(checked(one, repair::yes, facts), usage_error);
    EXPECT_EQ(message_of<usage_error>([&] { checked(nonsense[2], repair::yes, facts); }),
              "the mesh names vertex 3 of 3");
}

TEST(tree, has_the_known_leaves_and_covers_each_entry_once) {
    const surface large(shape("bumpy:64"));
    std::size_t low = 0, all = 0;
    for (const block& one : leaves_of(large.tree, 2)) low += one.admissible, ++all;
    EXPECT_EQ(low, 66582u);
    EXPECT_EQ(all - low, 119518u);

    const surface small(shape("cube:4"));
    const std::size_t n = small.size();
    std::vector<int> covered(n * n);
    for (const block& one : leaves_of(small.tree, 2))
        for (std::size_t i = one.row; i < one.row + one.rows; ++i)
            for (std::size_t j = one.column; j < one.column + one.columns; ++j)
                ++covered[i * n + j];
    EXPECT_EQ(covered, std::vector<int>(n * n, 1));
    const auto& order = small.tree.order();
    EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), n);
}

TEST(tree, cuts_equal_centroids_and_refuses_eta) {
    const std::vector<panel> equal(100, panel({0, 0, 0}, {1, 0, 0}, {0, 1, 0}));
    const cluster_tree tree(equal);
    for (const cluster& one : tree.clusters())
        EXPECT_TRUE(one.child[0] || one.count <= most_of_a_leaf);
    EXPECT_THROW(leaves_of(tree, 0), usage_error);
}

}  // namespace
}  // namespace watari::hmatrix
