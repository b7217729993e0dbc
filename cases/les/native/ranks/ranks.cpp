#include "ranks.hpp"

#include "../grid/fields.hpp"
#include "neighbours.hpp"
#include "watari/case/ranks.hpp"
#include "watari/core/error.hpp"

#include <string>
#include <vector>

namespace watari::les {

namespace {

using std::to_string;

std::string text_of(const extents& e) {
    return to_string(e.x) + "x" + to_string(e.y) + "x" + to_string(e.z);
}

/// Returns the block of which every share is a multiple: whole cells of each divided level, and
/// along x whole pieces of a sum.
extents blocks_of(const parameters& p) {
    parameters divided = p;
    divided.grid.around_x = false;
    extents block{1, 1, 1};
    for (const level_shape& l : level_shapes(divided)) {
        // the restriction to the first undivided level needs whole shares too
        for (unsigned a = 0; a < 3; ++a)
            if (l.halved[a]) along(block, a) *= 2;
        if (l.grid.whole()) break;
    }
    block.x = std::max(block.x, piece_of(p.whole.x));
    return block;
}

bool shares_are_whole(const parameters& p, unsigned axis) {
    const std::size_t parts = along(p.split, axis);
    return parts == 1 || along(p.whole, axis) % (along(blocks_of(p), axis) * parts) == 0;
}

/// Returns `; the nearest valid grid is ...` for an axis, or nothing if no valid grid is near.
std::string nearest_grid(parameters p, unsigned axis) {
    constexpr std::size_t farthest = 1 << 15;  // cells
    std::size_t& cells = along(p.whole, axis);
    const std::size_t given = cells, least = 8;
    for (std::size_t off = 2 - given % 2; off < farthest; off += 2)
        for (const bool more : {true, false}) {
            if (!more && given < least + off) continue;
            cells = more ? given + off : given - off;
            if (shares_are_whole(p, axis)) return "; the nearest valid grid is " + text_of(p.whole);
        }
    return {};
}

/// Widens the halo to deep_halo rows: sweeps then need no exchange between them. The halo stays
/// one row if a divided level is thinner than this halo, or if the next coarser level is not halved
/// along y: the two rows beside a part then have two rows of parents, but the halo of a correction
/// has one.
void deepen(parameters& own) {
    if (!own.grid.around_x || own.grid.around_y) return;
    const std::vector<level_shape> levels = level_shapes(own);
    for (std::size_t n = 0; n < levels.size() && !levels[n].grid.whole(); ++n) {
        if (levels[n].grid.size.y < deep_halo) return;
        if (n + 1 < levels.size() && !levels[n + 1].halved[1]) return;
    }
    own.grid.below = own.grid.above = deep_halo;
}

measure::trial run_part(const parameters& p, const style& row, const comm::communicator& all) {
    parameters own = p;
    const auto rank = static_cast<std::size_t>(all.rank());
    own.grid.size = {p.whole.x / p.split.x, p.whole.y / p.split.y, p.whole.z};
    own.grid.origin = {rank % p.split.x * own.grid.size.x, rank / p.split.x * own.grid.size.y, 0};
    own.grid.around_x = p.split.x == 1;
    own.grid.around_y = p.split.y == 1;
    deepen(own);
    if (own.reads_far() && own.grid.below < wide_halo) own.grid.below = own.grid.above = wide_halo;
    own.processor = cases::own_processor(p.processor, all);
    const memory::kind field = p.processor.is_gpu() ? row.field : memory::kind::pageable;
    all.together([&] { memory::require_access(memory::row(field), own.processor); });
    neighbours others(all, own, field);
    own.others = &others;
    return row.on(p.processor)(own);
}

}  // namespace

void require_shares(const parameters& p) {
    const std::string split = "split " + text_of(p.split) + ": ";
    if (p.split.z != 1) throw usage_error(split + "z is not divided");
    for (unsigned a = 0; a < 2; ++a)
        if (!shares_are_whole(p, a))
            throw usage_error(split + to_string(along(p.whole, a)) + " cells along " + "xyz"[a] +
                              " are not shares of whole blocks of " +
                              to_string(along(blocks_of(p), a)) + nearest_grid(p, a));
}

measure::trial run_on_ranks(const parameters& p, const style& row) {
    const comm::communicator& all = comm::world();
    require_shares(p);
    cases::require_ranks(text_of(p.split), p.split.cells(), p.processor, all);
    cases::require_halo(row, p.path, false, p.processor);
    return cases::on_ranks(all, [&] { return run_part(p, row, all); });
}

}  // namespace watari::les
