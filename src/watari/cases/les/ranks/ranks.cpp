#include "watari/cases/les/ranks/ranks.hpp"

#include "watari/cases/common/ranks.hpp"
#include "watari/cases/les/grid/fields.hpp"
#include "watari/cases/les/ranks/neighbours.hpp"
#include "watari/core/error.hpp"

#include <string>

namespace watari::les {

namespace {

using std::to_string;

std::string text_of(const extents& e) {
    return to_string(e.x) + "x" + to_string(e.y) + "x" + to_string(e.z);
}

/// What every share is a multiple of: whole cells of each level that is divided, and along x whole
/// pieces of a sum.
extents blocks_of(const parameters& p) {
    parameters divided = p;
    divided.grid.around = false;
    extents block{1, 1, 1};
    for (const level_shape& l : level_shapes(divided)) {
        // the first level that every rank has is still restricted from whole shares
        for (unsigned a = 0; a < 3; ++a)
            if (l.halved[a]) along(block, a) *= 2;
        if (l.grid.around) break;
    }
    block.x = std::max(block.x, piece_of(p.whole.x));
    return block;
}

void require_shares(const parameters& p, const comm::communicator& all) {
    if (p.split.z != 1) throw usage_error("split " + text_of(p.split) + ": z is not divided");
    cases::require_ranks(text_of(p.split), p.split.cells(), p.processor, all);
    const extents block = blocks_of(p);
    for (unsigned a = 0; a < 2; ++a) {
        const std::size_t cells = along(p.whole, a), parts = along(p.split, a);
        const std::size_t step = along(block, a) * parts;
        if (parts == 1 || cells % step == 0) continue;
        throw usage_error("split " + text_of(p.split) + ": " + to_string(cells) + " cells along " +
                          "xyz"[a] + " are not shares of whole blocks of " +
                          to_string(along(block, a)) + "; the nearest valid grid has " +
                          to_string((cells + step - 1) / step * step));
    }
}

measure::trial run_part(const parameters& p, const style& row, const comm::communicator& all) {
    parameters own = p;
    const auto rank = static_cast<std::size_t>(all.rank());
    own.grid.size = {p.whole.x / p.split.x, p.whole.y / p.split.y, p.whole.z};
    own.grid.origin = {rank % p.split.x * own.grid.size.x, rank / p.split.x * own.grid.size.y, 0};
    own.grid.around = false;
    own.processor = cases::own_processor(p.processor, all);
    const memory::kind field = p.processor.is_gpu() ? row.field : memory::kind::pageable;
    all.together([&] { memory::require_access(memory::row(field), own.processor); });
    neighbours others(all, own, field);
    own.others = &others;
    return row.on(p.processor)(own);
}

}  // namespace

measure::trial run_on_ranks(const parameters& p, const style& row) {
    const comm::communicator& all = comm::world();
    require_shares(p, all);
    cases::require_halo(row, p.path, false, p.processor);
    return cases::on_ranks(all, [&] { return run_part(p, row, all); });
}

}  // namespace watari::les
