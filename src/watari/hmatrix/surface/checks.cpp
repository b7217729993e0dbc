#include "watari/core/error.hpp"
#include "watari/hmatrix/surface/mesh.hpp"
#include "watari/hmatrix/surface/panel.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

namespace watari::hmatrix {

namespace {

constexpr std::size_t most_triangles = std::size_t{1} << 31;
constexpr double least_height = 1e-12;  ///< of a triangle, in parts of its longest edge

void require_sound(const mesh& given) {
    if (given.triangles.empty()) throw usage_error("the mesh has no triangles");
    if (given.triangles.size() > most_triangles || given.vertices.size() > most_triangles)
        throw usage_error("the mesh has " + std::to_string(given.triangles.size()) +
                          " triangles, and 2147483648 are the most");
    for (const point& p : given.vertices)
        if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z))
            throw usage_error("the mesh has a vertex whose coordinates are not finite");
    for (const triangle& t : given.triangles)
        for (const std::uint32_t v : t)
            if (v >= given.vertices.size())
                throw usage_error("the mesh names vertex " + std::to_string(v) + " of " +
                                  std::to_string(given.vertices.size()));
}

/// Merges vertices with equal coordinates into the first of them, since files such as STL repeat
/// each vertex; returns the number merged.
std::size_t merge_vertices(mesh& m) {
    std::vector<std::uint32_t> order(m.vertices.size()), first(order.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return m.vertices[a] < m.vertices[b]; });
    std::size_t merged = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool equal = i > 0 && m.vertices[order[i]] == m.vertices[order[i - 1]];
        first[order[i]] = equal ? first[order[i - 1]] : order[i];
        merged += equal;
    }
    for (triangle& t : m.triangles)
        for (std::uint32_t& v : t) v = first[v];
    return merged;
}

bool has_area(const mesh& m, const triangle& t) {
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) return false;
    const panel one(m.vertices[t[0]], m.vertices[t[1]], m.vertices[t[2]]);
    return one.area > 0.5 * least_height * one.size * one.size;
}

/// Counts, and with `remove` removes, triangles without area and duplicates of another triangle.
void sort_out(mesh& m, mesh_facts& facts, bool remove) {
    std::set<triangle> known;
    mesh kept;
    for (std::size_t i = 0; i < m.triangles.size(); ++i) {
        const triangle& t = m.triangles[i];
        triangle sorted = t;
        std::sort(sorted.begin(), sorted.end());
        if (!has_area(m, t)) {
            ++facts.zero_areas;
        } else if (!known.insert(sorted).second) {
            ++facts.duplicates;
        } else {
            kept.triangles.push_back(t);
            if (!m.signs.empty()) kept.signs.push_back(m.signs[i]);
        }
    }
    if (!remove) return;
    m.triangles = std::move(kept.triangles);
    m.signs = std::move(kept.signs);
}

/// The triangles at each edge, as 3 t + k: the edge from vertex k of triangle t to the next.
using edge_table = std::unordered_map<std::uint64_t, std::vector<std::uint64_t>>;

std::uint64_t key_of(std::uint32_t a, std::uint32_t b) {
    return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
}

edge_table edges_of(const mesh& m) {
    edge_table edges;
    edges.reserve(m.triangles.size() * 3 / 2);
    for (std::size_t t = 0; t < m.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k)
            edges[key_of(m.triangles[t][k], m.triangles[t][(k + 1) % 3])].push_back(3 * t + k);
    return edges;
}

/// Six times the volume between a triangle and a corner of its part.
double volume_of(const mesh& m, const triangle& t, const point& from) {
    const point a = m.vertices[t[0]] - from;
    return dot(a, cross(m.vertices[t[1]] - from, m.vertices[t[2]] - from));
}

double area_of(const mesh& m, const triangle& t) {
    return panel(m.vertices[t[0]], m.vertices[t[1]], m.vertices[t[2]]).area;
}

/// Orients one part after another, from its first triangle on.
class orientation {
public:
    orientation(mesh& m, mesh_facts& facts)
        : mesh_(m), facts_(facts), edges_(edges_of(m)), turn_(m.triangles.size(), unseen) {
        for (const auto& [key, at] : edges_) {
            facts.open_edges += at.size() == 1;
            facts.crowded_edges += at.size() > 2;
        }
    }
    void run() {
        for (std::size_t t = 0; t < turn_.size(); ++t)
            if (turn_[t] == unseen) orient_part(t);
    }

private:
    static constexpr std::int8_t unseen = -1;

    /// Whether the number of vertex k of t is below that of the next one, as turn_ orients t.
    bool goes_up(std::uint64_t at) const {
        const triangle& t = mesh_.triangles[at / 3];
        return (t[at % 3] < t[(at % 3 + 1) % 3]) != (turn_[at / 3] == 1);
    }

    void orient_part(std::size_t first) {
        std::vector<std::size_t> part{first};
        bool closed = true;
        turn_[first] = 0;
        for (std::size_t i = 0; i < part.size(); ++i)
            for (std::size_t k = 0; k < 3; ++k) closed &= cross_edge(3 * part[i] + k, part);
        ++facts_.parts;
        double volume = 0, area = 0;
        const point from = mesh_.vertices[mesh_.triangles[first][0]];
        for (const std::size_t t : part) {
            volume += (turn_[t] == 1 ? -1 : 1) * volume_of(mesh_, mesh_.triangles[t], from);
            area += area_of(mesh_, mesh_.triangles[t]);
        }
        // one side lies on the other: the potentials of the two are the same equations
        facts_.flat_parts += closed && std::abs(volume) <= least_height * std::pow(area, 1.5);
        const bool inward = closed && volume < 0;
        for (const std::size_t t : part) {
            if ((turn_[t] == 1) == inward) continue;
            std::swap(mesh_.triangles[t][1], mesh_.triangles[t][2]);
            ++facts_.turned;
        }
    }

    /// Orients the neighbour across one edge of a triangle; returns whether the edge has exactly
    /// one.
    bool cross_edge(std::uint64_t at, std::vector<std::size_t>& part) {
        const triangle& t = mesh_.triangles[at / 3];
        const auto& there = edges_.at(key_of(t[at % 3], t[(at % 3 + 1) % 3]));
        if (there.size() != 2) return false;
        const std::uint64_t other = there[0] == at ? there[1] : there[0];
        if (turn_[other / 3] == unseen) {
            turn_[other / 3] = 0;
            turn_[other / 3] = goes_up(other) == goes_up(at);
            part.push_back(other / 3);
        } else if (goes_up(other) == goes_up(at)) {
            facts_.one_sided = true;
        }
        return true;
    }

    mesh& mesh_;
    mesh_facts& facts_;
    edge_table edges_;
    std::vector<std::int8_t> turn_;  ///< by triangle: unseen, 0, or 1: to be reversed
};

std::string counted(std::size_t count, const std::string& one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> mesh_facts::notes() const {
    std::vector<std::string> all;
    if (duplicates) all.push_back("removed " + counted(duplicates, "duplicate triangle"));
    if (zero_areas) all.push_back("removed " + counted(zero_areas, "triangle") + " without area");
    if (turned) all.push_back("reversed the orientation of " + counted(turned, "triangle"));
    if (open_edges)
        all.push_back("the surface is open: " + counted(open_edges, "edge") +
                      " of one triangle alone");
    if (crowded_edges)
        all.push_back(counted(crowded_edges, "edge") + " of three triangles or more");
    if (one_sided) all.push_back("the surface has one side: no orientation fits all triangles");
    return all;
}

mesh checked(mesh given, repair how, mesh_facts& facts) {
    facts = {};
    require_sound(given);
    facts.merged_vertices = merge_vertices(given);
    sort_out(given, facts, how == repair::yes);
    if (how == repair::no && (facts.duplicates || facts.zero_areas))
        throw usage_error("the mesh has " + counted(facts.duplicates, "duplicate triangle") +
                          " and " + counted(facts.zero_areas, "triangle") +
                          " without area; --repair removes them");
    if (given.triangles.empty()) throw usage_error("no triangle of the mesh has an area");
    orientation(given, facts).run();
    if (facts.flat_parts)
        throw usage_error(counted(facts.flat_parts, "closed part") +
                          " of the mesh has no volume: one side lies on the other; for a plate, "
                          "give one side alone");
    return given;
}

}  // namespace watari::hmatrix
