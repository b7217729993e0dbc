/// A trial on several ranks: the GPU of each, and the times of the slowest.
#pragma once

#include "watari/comm/communicator.hpp"
#include "watari/core/error.hpp"
#include "watari/core/processor.hpp"
#include "watari/measure/trial.hpp"
#include "watari/memory/kind.hpp"

#include <string>

namespace watari::cases {

/// Throws usage_error where a split (as `2x1x2`) is for another number of ranks than there are, or
/// where one GPU is named for all of them.
void require_ranks(const std::string& split, std::size_t ranks, processor who,
                   const comm::communicator& all);

/// One GPU a rank, that of its number on its host, which is then in use; the CPU where that is
/// asked for. Called by all ranks. Throws refused where a host has fewer GPUs than ranks.
processor own_processor(processor asked, const comm::communicator& all);

/// How many ranks take memory of one kind from one place: a host's, where each has its own GPU.
inline std::size_t ranks_beside(const comm::communicator* all, memory::kind kind) {
    const bool own = kind == memory::kind::device || kind == memory::kind::managed;
    return all == nullptr || own ? 1 : static_cast<std::size_t>(all->local_size());
}

/// Times outside the loop become those of the slowest rank. Called by all ranks.
void keep_slowest(measure::trial& of, const comm::communicator& all);

/// work() on every rank. Where one alone throws unsupported the others would wait for ever: it
/// becomes an error, which ends them.
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
