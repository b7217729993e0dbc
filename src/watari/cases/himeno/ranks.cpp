#include "watari/cases/himeno/ranks.hpp"

#include "watari/core/error.hpp"

#include <string>
#include <vector>

namespace watari::himeno {

namespace {

using std::to_string;

void require_sense(const parameters& p, const comm::communicator& all) {
    if (p.split.points() != static_cast<std::size_t>(all.size()))
        throw usage_error("split " + to_string(p.split.i) + "x" + to_string(p.split.j) + "x" +
                          to_string(p.split.k) + " is for " + to_string(p.split.points()) +
                          " ranks, and " + to_string(all.size()) +
                          " are here: start them by mpirun -n " + to_string(p.split.points()));
    if (p.processor.is_gpu() && p.processor.number != 0)
        throw usage_error("processor=gpu:" + to_string(p.processor.number) +
                          ": of several ranks each takes a GPU of its own; write processor=gpu");
    if (p.overlap && p.split.j * p.split.k != 1)
        throw usage_error(
            "overlap=yes needs a split along i alone: planes of j and k are no slabs");
}

/// What the style itself rules out.
void require_style(const parameters& p, const style& row) {
    const std::string name = "style " + p.style;
    if (p.overlap && !p.processor.is_gpu())
        throw unsupported(
            "overlap=yes: on the CPU every thread computes, none is left to exchange");
    if (p.overlap && !row.overlaps)
        throw unsupported(name + " waits for each of its kernels: nothing overlaps");
    if (row.halos & only(p.halo)) return;
    std::string known;
    for (const auto path :
         {comm::path::staged, comm::path::device, comm::path::nccl, comm::path::peer})
        if (row.halos & only(path))
            known += (known.empty() ? "" : ", ") + std::string(name_of(path));
    throw unsupported(name + " is not written for halo=" + std::string(name_of(p.halo)) +
                      "; it has " + known);
}

/// One GPU a rank.
void use_own_gpu(const comm::communicator& all) {
    if (device::count() > 0 && device::count() < all.local_size())
        throw unsupported(to_string(all.local_size()) + " ranks on one host with " +
                          to_string(device::count()) + " GPUs: each rank needs its own");
    device::use(all.local_rank());
}

/// Times outside the loop become those of the slowest rank.
void keep_slowest(measure::trial& of, const comm::communicator& all) {
    std::vector<double*> times;
    for (auto& [name, quantity] : of.quantities)
        if (quantity.unit == "s" && name != "loop") times.push_back(&quantity.value);
    std::vector<double> values;
    for (const double* time : times) values.push_back(*time);
    all.maximum(values);
    for (std::size_t n = 0; n < times.size(); ++n) *times[n] = values[n];
}

measure::trial run_part(const parameters& p, const style& row, const comm::communicator& all) {
    const comm::decomposition box = comm::divide(
        {.points = {p.size.i, p.size.j, p.size.k}, .split = {p.split.i, p.split.j, p.split.k}},
        all.rank());
    part own(p);
    own.size = {box.size[0], box.size[1], box.size[2]};
    own.origin = {box.origin(0), box.origin(1), box.origin(2)};
    own.ranks = &all;
    memory::kind field = memory::kind::pageable;
    if (p.processor.is_gpu()) {
        all.together([&] { use_own_gpu(all); });
        own.processor = gpu_number(all.local_rank());
        field = row.field;
    }
    const bool by_cpu = field == memory::kind::pageable;
    all.together(
        [&] { memory::require_access(memory::row(field), by_cpu ? the_cpu : own.processor); });
    comm::halo halo(p.halo, {&all, box, by_cpu ? the_cpu : own.processor, field});
    own.exchanged = &halo;
    measure::trial result = row.on(p.processor)(own);
    keep_slowest(result, all);
    return result;
}

}  // namespace

measure::trial run_on_ranks(const parameters& p, const style& row) {
    const comm::communicator& all = comm::world();
    require_sense(p, all);
    require_style(p, row);
    try {
        return run_part(p, row, all);
    } catch (const comm::refused&) {
        throw;
    } catch (const unsupported& reason) {
        // the others still wait for this one: only a failure ends them
        throw error("rank " + to_string(all.rank()) + " alone: " + reason.what());
    }
}

}  // namespace watari::himeno
