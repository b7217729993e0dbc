#include "ranks.hpp"

#include "exchange.hpp"
#include "watari/case/ranks.hpp"
#include "watari/core/error.hpp"

#include <string>

namespace watari::lattice {

namespace {

using std::to_string;

std::string text_of(const extents& e) {
    return to_string(e.x) + "x" + to_string(e.y) + "x" + to_string(e.z) + "x" + to_string(e.t);
}

void require_sense(const parameters& p, const comm::communicator& all) {
    for (unsigned d = 0; d < 4; ++d)
        if (extent(p.size, d) % (2 * extent(p.split, d)) != 0)
            throw usage_error("split " + text_of(p.split) + " does not divide lattice " +
                              text_of(p.size) + " into parts of even extents");
    cases::require_ranks(text_of(p.split), p.split.sites(), p.processor, all);
}

/// Directions that are not divided have no neighbours: the kernels wrap around within the part.
comm::decomposition divided(const parameters& p, int rank) {
    comm::grid whole{.points = {0, 0, 0, 0},
                     .split = {p.split.x, p.split.y, p.split.z, p.split.t},
                     .periodic = {},
                     .depth = 1,
                     .blocks = {2, 2, 2, 2}};
    for (unsigned d = 0; d < 4; ++d) {
        whole.periodic[d] = extent(p.split, d) > 1;
        whole.points[d] = extent(p.size, d) + (whole.periodic[d] ? 0 : 2);
    }
    return comm::divide(whole, rank);
}

/// Sets the origin and the extents of a rank's part.
void take_part(parameters& own, share& part, int rank) {
    unsigned left = static_cast<unsigned>(rank);
    for (unsigned d = 4; d-- > 0;) {
        const unsigned parts = extent(own.split, d);
        part.origin.at[d] = left % parts * (extent(own.size, d) / parts);
        left /= parts;
    }
    own.size = {own.size.x / own.split.x, own.size.y / own.split.y, own.size.z / own.split.z,
                own.size.t / own.split.t};
}

measure::trial run_part(const parameters& p, const style& row, const comm::communicator& all) {
    share part{.whole = p.size, .split = p.split, .ranks = &all};
    parameters own(p);
    const comm::decomposition box = divided(p, all.rank());
    take_part(own, part, all.rank());
    own.processor = cases::own_processor(p.processor, all);
    const memory::kind field = p.processor.is_gpu() ? row.field : memory::kind::pageable;
    // a style in directives packs by itself, and by the staged path the CPU carries its half spinors
    const bool packed = row.language != cases::directives::none;
    const bool by_cpu = packed && p.path == comm::path::staged;
    const processor packs = by_cpu ? the_cpu : own.processor;
    all.together([&] { memory::require_access(memory::row(field), packs); });
    comm::halo halo(p.path, {.ranks = &all,
                             .part = box,
                             .who = packs,
                             .field = field,
                             .point_bytes = message_point_bytes(p)});
    part.halo = &halo;
    part.field = field;
    part.carrier = packs;
    own.part = &part;
    return row.on(p.processor)(own);
}

}  // namespace

measure::trial run_on_ranks(const parameters& p, const style& row) {
    const comm::communicator& all = comm::world();
    require_sense(p, all);
    cases::require_halo(row, p.path, p.overlap, p.processor);
    return cases::on_ranks(all, [&] { return run_part(p, row, all); });
}

}  // namespace watari::lattice
