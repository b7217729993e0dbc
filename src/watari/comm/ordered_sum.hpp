/// Sums over all ranks by a tree that does not depend on how a grid is divided among them.
///
/// Each rank has partial sums (of rows, or of pieces of rows), each with its place in the whole
/// grid. All ranks gather all partial sums and add them in the order of places, by the tree of
/// core/parallel/sums.hpp. The bits are the same for any number of ranks if each partial sum covers
/// the same points in the same order. Bytes sent: all partial sums, to every rank.
#pragma once

#include "watari/comm/communicator.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace watari::comm {

class ordered_sum {
public:
    /// `places`: places of this rank's partial sums among the `count` of all ranks. Each partial
    /// sum has `values` numbers, which are summed separately. Throws usage_error unless each place
    /// from 0 to count - 1 belongs to one rank. Later calls allocate nothing.
    ordered_sum(const communicator& ranks, std::span<const std::size_t> places, std::size_t count,
                std::size_t values = 1);

    /// totals[v] = sum of own[p * values + v] over all partial sums p of all ranks; called by all
    /// ranks.
    void operator()(std::span<const double> own, std::span<double> totals);

private:
    const communicator* ranks_;
    std::size_t count_, values_;
    std::size_t most_ = 0;             ///< the largest number of partial sums of a rank
    std::vector<std::size_t> places_;  ///< of all ranks, most_ per rank; count_: there is none
    std::vector<double> own_, all_, ordered_, scratch_;
};

}  // namespace watari::comm
