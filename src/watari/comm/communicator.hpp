/// The ranks of this run, and their communication through MPI.
#pragma once

#include "watari/comm/mpi.hpp"
#include "watari/core/error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace watari::comm {

/// `unsupported` on at least one rank; all ranks throw it.
class refused : public unsupported {
public:
    using unsupported::unsupported;
};

/// All ranks call each function, except rank(), size(), local_rank() and local_size().
class communicator {
public:
    explicit communicator(const mpi_table& mpi);

    int rank() const noexcept { return rank_; }
    int size() const noexcept { return size_; }
    int local_rank() const noexcept { return local_rank_; }  ///< among the ranks of this host
    int local_size() const noexcept { return local_size_; }

    /// Sends `bytes` to each of two ranks and receives as many from each; skips `nobody`.
    void exchange(const int (&ranks)[2], const void* const (&send)[2], void* const (&receive)[2],
                  std::size_t bytes) const;
    double sum(double own) const;
    /// Replaces each value by its sum over all ranks, in one message.
    void sum(std::span<double> values) const;
    std::uint64_t sum(std::uint64_t own) const;
    /// Replaces each value by its maximum over all ranks.
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

    /// Gathers equally many bytes from each rank, by rank. Throws usage_error for more than MPI can
    /// count.
    void gather(std::span<const std::byte> own, std::span<std::byte> all) const;

    /// Runs `work`, which needs no other rank. If it throws unsupported on some ranks, all ranks
    /// throw refused with the reason of the first one, so no rank waits for ever.
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

/// The communicator of all ranks; the first call starts MPI. Throws unsupported if Watari was built
/// without MPI.
const communicator& world();

/// Ends MPI if it was started. Only for the normal end of a process: a rank that fails exits
/// without this call, so that the launcher ends the others.
void finish();

/// Tests whether MPI accepts GPU memory: exchanges some between two ranks and checks the data. If
/// MPI does not, the result may be a segmentation fault. Throws unsupported; error if the data
/// differ.
void exchange_gpu_memory();

}  // namespace watari::comm
