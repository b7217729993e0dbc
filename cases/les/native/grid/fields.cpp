#include "fields.hpp"

#include "../city/leaves.hpp"
#include "../city/nozzles.hpp"
#include "watari/core/parallel/sums.hpp"

#include <algorithm>
#include <cmath>

namespace watari::les {

namespace {

/// Returns the cells of the largest level that every rank has whole: on a part of such a level,
/// four halos per cycle would take longer than the work.
std::size_t least_divided(processor who) { return who.is_gpu() ? std::size_t{1} << 19 : 4096; }
constexpr std::size_t table_numbers = 256;  ///< 1 / diagonal of the finest level, by the flag
constexpr unsigned coarse_arrays = 7;       ///< three faces, inverse, r, e, scratch

/// Returns stress and strain beside a wall whose normal's spacing is d.
template <class Real>
wall<Real> wall_of(const constants& c, surface which, double d) {
    if (which == surface::slip) return {0, 0, 0, 0};
    if (which == surface::smooth) return {0, Real(c.nu / (d / 2)), 2, 0};
    const double log = std::log(d / (2 * c.roughness)), drag = c.karman / log;
    return {Real(drag * drag), 0, Real(2 / log), 0};
}

template <class Real>
air<Real> air_of(const parameters& p) {
    const constants& c = p.air;
    air<Real> a{};
    for (unsigned axis = 0; axis < 3; ++axis) {
        const double d = p.spacing[axis];
        a.per_d[axis] = Real(1 / d);
        a.side[axis] = wall_of<Real>(c, c.walls, d);
    }
    a.nu = Real(c.nu);
    a.kappa = Real(c.kappa);
    a.per_prandtl = Real(1 / c.prandtl);
    a.force[0] = Real(c.force[0]);
    a.force[1] = Real(c.force[1]);
    a.buoyancy = Real(c.gravity / c.theta0);
    a.vapour_lift = Real(c.gravity * lightness_of_vapour / 2);
    a.drop_weight = Real(c.gravity / 2);
    a.ground = wall_of<Real>(c, c.ground, p.spacing[2]);
    a.lid = wall_of<Real>(c, c.lid, p.spacing[2]);
    a.lid.speed = Real(c.lid_speed);
    return a;
}

/// Returns the axes of a level that are halved for the next level; none if the level is the
/// coarsest.
std::array<bool, 3> halved_next(const extents& size, const std::array<double, 3>& spacing) {
    const auto can = [&](unsigned a) { return along(size, a) % 2 == 0 && along(size, a) > 2; };
    double least = INFINITY;
    for (unsigned a = 0; a < 3; ++a)
        if (can(a)) least = std::min(least, spacing[a]);
    std::array<bool, 3> result{};
    for (unsigned a = 0; a < 3; ++a) result[a] = can(a) && spacing[a] < 1.9 * least;
    return result;
}

/// Whether a GPU has the faces of the first coarser level as counts of open fine faces.
bool has_open_faces(const std::vector<level_shape>& levels) {
    if (levels.size() < 2 || levels[0].grid.whole() != levels[1].grid.whole()) return false;
    return levels[1].halved[0] && levels[1].halved[1] && levels[1].halved[2];
}

}  // namespace

std::vector<level_shape> level_shapes(const parameters& p) {
    std::vector<level_shape> result{{p.grid, p.whole}};
    std::array<double, 3> spacing = p.spacing;
    for (;;) {
        level_shape next = result.back();
        if (next.grid.below == wide_halo) next.grid.below = next.grid.above = 1;
        const auto halved = halved_next(next.whole, spacing);
        if (!halved[0] && !halved[1] && !halved[2]) return result;
        for (unsigned a = 0; a < 3; ++a) {
            next.halved[a] = halved[a];
            if (!halved[a]) continue;
            spacing[a] *= 2;
            along(next.whole, a) /= 2;
            along(next.grid.size, a) /= 2;
            along(next.grid.origin, a) /= 2;
        }
        if (next.whole.cells() <= least_divided(p.processor)) next.grid = {next.whole};
        result.push_back(next);
    }
}

std::vector<array> arrays(fields& f, const parameters& p) {
    const std::size_t each = p.grid.points() * p.real_bytes();
    std::size_t coarse = table_numbers * p.real_bytes();
    const auto shapes = level_shapes(p);
    for (std::size_t n = 1; n < shapes.size(); ++n)
        coarse += coarse_arrays * shapes[n].grid.points() * p.real_bytes();
    if (has_open_faces(shapes))
        coarse +=
            shapes[1].grid.points() * sizeof(std::uint16_t) + open_faces::room * p.real_bytes();
    std::vector<array> all{{&f.flags, p.grid.points()},
                           {&f.length2, each},
                           {&f.facets, facets_bytes(p) + nozzles_bytes(p) + leaves_bytes(p)}};
    for (auto* group : {&f.flow, &f.next, &f.q})
        for (std::byte*& pointer : *group) all.push_back({&pointer, each});
    for (std::byte** pointer : {&f.nu, &f.p, &f.r, &f.e, &f.d, &f.scratch})
        all.push_back({pointer, each});
    if (p.reads_far()) all.push_back({&f.far, p.grid.points()});
    if (p.is_moist())
        for (auto* group : {&f.wet, &f.wet_next})
            for (std::byte*& pointer : *group) all.push_back({&pointer, each});
    all.push_back({&f.coarse, coarse});
    all.push_back({&f.sums, sums_of(p).all * sizeof(double)});
    return all;
}

template <class Real>
std::vector<level<Real>> levels_of(const fields& f, const parameters& p) {
    std::vector<level<Real>> result;
    Real* next = numbers<Real>(f.coarse) + table_numbers;
    for (const level_shape& shape : level_shapes(p)) {
        level<Real> l{.grid = shape.grid};
        std::copy(shape.halved, shape.halved + 3, l.halved);
        for (unsigned a = 0; a < 3; ++a) l.per_d2[a] = Real(1 / (p.spacing[a] * p.spacing[a]));
        if (result.empty()) {
            l.flags = reinterpret_cast<const std::uint8_t*>(f.flags);
            l.inverse = numbers<Real>(f.coarse);
            l.r = numbers<Real>(f.r);
            l.e = numbers<Real>(f.e);
            l.scratch = numbers<Real>(f.scratch);
        } else {
            for (Real** pointer :
                 {&l.face[0], &l.face[1], &l.face[2], &l.inverse, &l.r, &l.e, &l.scratch})
                *pointer = next, next += l.grid.points();
        }
        result.push_back(l);
    }
    if (has_open_faces(level_shapes(p))) {
        result[1].by_open = next;
        result[1].open = reinterpret_cast<std::uint16_t*>(next + open_faces::room);
    }
    return result;
}

template <class Real>
flow_arguments<Real> flow_of(const fields& f, const parameters& p) {
    flow_arguments<Real> result{};
    result.grid = p.grid;
    result.air = air_of<Real>(p);
    result.flags = reinterpret_cast<const std::uint8_t*>(f.flags);
    result.far = reinterpret_cast<const std::uint8_t*>(f.far);
    for (unsigned n = 0; n < 4; ++n) {
        result.now[n] = numbers<Real>(f.flow[n]);
        result.next[n] = numbers<Real>(f.next[n]);
        result.q[n] = numbers<Real>(f.q[n]);
    }
    for (unsigned n = 0; p.is_moist() && n < 2; ++n) {
        result.wet[n] = numbers<Real>(f.wet[n]);
        result.wet_next[n] = numbers<Real>(f.wet_next[n]);
    }
    result.nu = numbers<Real>(f.nu);
    result.length2 = numbers<Real>(f.length2);
    result.p = numbers<Real>(f.p);
    return result;
}

sums_layout sums_of(const parameters& p) {
    constexpr std::size_t numbers = 8;  // room for iteration_sums
    const std::size_t pieces = p.grid.size.x / piece_of(p.whole.x);
    const std::size_t columns = pieces * p.grid.size.y;
    const std::size_t all_columns = p.whole.x / piece_of(p.whole.x) * p.whole.y;
    sums_layout s{};
    s.partials = numbers;
    s.columns = s.partials + columns * p.grid.size.z;
    s.scratch = s.columns + 2 * all_columns;
    s.all = s.scratch + cpu::sum_scratch(all_columns);
    return s;
}

template std::vector<level<float>> levels_of(const fields&, const parameters&);
template std::vector<level<double>> levels_of(const fields&, const parameters&);
template flow_arguments<float> flow_of(const fields&, const parameters&);
template flow_arguments<double> flow_of(const fields&, const parameters&);

}  // namespace watari::les
