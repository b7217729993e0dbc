/// A trial on several ranks: the GPU of each rank, and the times of the slowest rank.
#pragma once

#include "watari/comm/communicator.hpp"
#include "watari/core/error.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/kind.hpp"

#include <string>

namespace watari::cases {

/// Throws usage_error if a split (such as `2x1x2`) is for another number of ranks than `all` has,
/// or if `who` names one GPU for all ranks.
void require_ranks(const std::string& split, std::size_t ranks, processor who,
                   const comm::communicator& all);

/// Returns this rank's processor: the GPU of its local rank, made current, or the CPU if `asked` is
/// the CPU. All ranks call it. Throws refused if a host has fewer GPUs than ranks.
processor own_processor(processor asked, const comm::communicator& all);

/// Returns the number of ranks that allocate one kind of memory from the same pool: the ranks of
/// the host, or 1 for device and managed memory, since each rank has its own GPU.
inline std::size_t ranks_beside(const comm::communicator* all, memory::kind kind) {
    const bool own = kind == memory::kind::device || kind == memory::kind::managed;
    return all == nullptr || own ? 1 : static_cast<std::size_t>(all->local_size());
}

/// Replaces the times outside the loop by those of the slowest rank. All ranks call it.
void keep_slowest(measure::trial& of, const comm::communicator& all);

/// Runs `work`, which needs no other rank. If it throws unsupported on some ranks, all throw
/// comm::refused. `all` is null if there is one rank.
template <class Work>
void together(const comm::communicator* all, const Work& work) {
    all ? all->together(work) : work();
}

/// Runs work() on every rank. If one rank alone throws unsupported, the others would wait forever:
/// the exception becomes an error, which ends all ranks.
template <class Work>
measure::trial on_ranks(const comm::communicator& all, const Work& work) {
    try {
        measure::trial result = work();
        keep_slowest(result, all);
        return result;
    } catch (const comm::refused&) {
        throw;
    } catch (const unsupported& reason) {
        throw error("rank " + std::to_string(all.rank()) + " alone: " + reason.what());
    }
}

}  // namespace watari::cases
