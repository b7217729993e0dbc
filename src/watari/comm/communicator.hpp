/// The ranks of this run: who they are, and what they exchange, through MPI.
#pragma once

#include "watari/comm/mpi.hpp"
#include "watari/core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace watari::comm {

/// `unsupported` on one rank at least, and thrown by all of them.
class refused : public unsupported {
public:
    using unsupported::unsupported;
};

/// Every function but those that return a number of the rank is called by all ranks.
class communicator {
public:
    explicit communicator(const mpi_table& mpi);

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    int local_rank() const noexcept { return local_rank_; }  ///< among the ranks of this host
    int local_size() const noexcept { return local_size_; }

    /// Sends `bytes` to each of two ranks and receives as many from them; `nobody` is left out.
    void exchange(const int (&ranks)[2], const void* const (&send)[2], void* const (&receive)[2],
                  std::size_t bytes) const;
    double sum(double own) const;
    std::uint64_t sum(std::uint64_t own) const;
    /// Each value becomes the largest of all ranks.
    void maximum(std::span<double> values) const;
    void barrier() const { mpi_->barrier(); }

    template <class Value>
    void broadcast(Value& value, int root) const {
        mpi_->broadcast(&value, sizeof value, root);
    }

    /// The values of all ranks, by rank.
    template <class Value>
    std::vector<Value> gather(const Value& own) const {
        std::vector<Value> all(static_cast<std::size_t>(size_));
        mpi_->gather(&own, all.data(), sizeof own);
        return all;
    }

    /// Does what a rank does without the others. Where it throws unsupported on one, all ranks
    /// throw refused with the reason of the first: none is left waiting.
    template <class Work>
    void together(const Work& work) const {
        std::string reason;
        try {
            work();
        } catch (const unsupported& error) {
            reason = error.what();
        }
        agree(reason);
    }

private:
    void agree(const std::string& reason) const;

    const mpi_table* mpi_;
    int rank_, size_, local_rank_, local_size_;
};

/// All ranks; starts MPI when first called. Throws unsupported where Watari was built without it.
const communicator& world();

/// Ends MPI if it was started; for the normal end of a process alone. A rank that fails exits
/// without it, which makes the launcher end the others.
void finish();

/// Whether MPI can be given GPU memory: sends some between two ranks and looks what came. Where it
/// cannot, this may be a segmentation fault. Throws unsupported, error (other data came).
void exchange_gpu_memory();

}  // namespace watari::comm
