/// Sums over all ranks by a tree that does not depend on how a grid is divided among them.
///
/// Each rank has partial sums (of rows, or of pieces of rows), each with its place in the whole
/// grid. All ranks gather all of them and add them up in the order of places, by the tree of
/// core/backend.hpp: the same bits for any number of ranks, provided that a partial sum is of the
/// same points in the same order. Bytes sent: those of all partial sums, to every rank.
#pragma once

#include "watari/comm/communicator.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace watari::comm {

class ordered_sum {
public:
    /// `places`: of this rank's partial sums among the `count` of all ranks. Each partial sum has
    /// `values` numbers, which are summed apart. Throws usage_error unless each place from 0 to
    /// count - 1 is one rank's. Nothing is allocated after this.
    ordered_sum(const communicator& ranks, std::span<const std::size_t> places, std::size_t count,
                std::size_t values = 1);

    /// totals[v] = sum of own[p * values + v] over all partial sums p of all ranks; called by all
    /// ranks.
    void operator()(std::span<const double> own, std::span<double> totals);

private:
    const communicator* ranks_;
    std::size_t count_, values_;
    std::size_t most_ = 0;             ///< partial sums of a rank
    std::vector<std::size_t> places_;  ///< of all ranks', most_ of each; count_: there is none
    std::vector<double> own_, all_, ordered_, scratch_;
};

}  // namespace watari::comm
