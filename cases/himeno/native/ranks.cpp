#include "ranks.hpp"

#include "watari/case/ranks.hpp"
#include "watari/core/error.hpp"

#include <string>

namespace watari::himeno {

namespace {

using std::to_string;

void require_sense(const parameters& p, const comm::communicator& all) {
    cases::require_ranks(
        to_string(p.split.i) + "x" + to_string(p.split.j) + "x" + to_string(p.split.k),
        p.split.points(), p.processor, all);
    if (p.overlap && p.split.j * p.split.k != 1)
        throw usage_error(
            "overlap=yes needs a split along i alone: planes of j and k are not contiguous");
}

measure::trial run_part(const parameters& p, const style& row, const comm::communicator& all) {
    const comm::decomposition box = comm::divide(
        {.points = {p.size.i, p.size.j, p.size.k}, .split = {p.split.i, p.split.j, p.split.k}},
        all.rank());
    part own(p);
    own.size = {box.size[0], box.size[1], box.size[2]};
    own.origin = {box.origin(0), box.origin(1), box.origin(2)};
    own.ranks = &all;
    own.processor = cases::own_processor(p.processor, all);
    const memory::kind field = p.processor.is_gpu() ? row.field : memory::kind::pageable;
    const processor packs = field == memory::kind::pageable ? the_cpu : own.processor;
    all.together([&] { memory::require_access(memory::row(field), packs); });
    comm::halo halo(p.halo, {.ranks = &all, .part = box, .who = packs, .field = field});
    own.exchanged = &halo;
    return row.on(p.processor)(own);
}

}  // namespace

measure::trial run_on_ranks(const parameters& p, const style& row) {
    const comm::communicator& all = comm::world();
    require_sense(p, all);
    cases::require_halo(row, p.halo, p.overlap, p.processor);
    return cases::on_ranks(all, [&] { return run_part(p, row, all); });
}

}  // namespace watari::himeno
