/// A product over ranks: each rank has the leaves of its rows, and whole vectors.
///
///     y_own = A_own x      hmatrix/product, from the rank's own file
///     y     = all y_own    one message of 8 bytes a row and system
///
/// All ranks take the same steps of the solver with the same vectors, as in HACApK. A step then has
/// one message instead of five (the product's, and four sums of vectors in GMRES), and its bits do
/// not depend on the number of ranks. In return each rank moves whole vectors: beside a matrix of
/// 40 kB a row, 15 vectors of 8 bytes a row are little for up to about 16 ranks.
///
/// Bytes of a product: 8 a row and system to every rank, through memory of the CPU.
#pragma once

#include "watari/comm/communicator.hpp"
#include "watari/core/device.hpp"
#include "watari/hmatrix/tree/division.hpp"
#include "watari/memory/buffer.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace watari::hmatrix {

/// Returns the values of all ranks, in the order of the ranks. All ranks call it.
template <class Value>
std::vector<Value> gathered(const comm::communicator& ranks, std::span<const Value> own) {
    const std::vector<std::size_t> counts = ranks.gather(own.size());
    const std::size_t most = *std::ranges::max_element(counts);
    std::vector<Value> padded(own.begin(), own.end()), together(most * counts.size()), all;
    padded.resize(most);
    ranks.gather(std::as_bytes(std::span(padded)), std::as_writable_bytes(std::span(together)));
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        const auto from = together.begin() + static_cast<std::ptrdiff_t>(rank * most);
        all.insert(all.end(), from, from + static_cast<std::ptrdiff_t>(counts[rank]));
    }
    return all;
}

/// Completes vectors of which each rank has its own rows. Only the constructor allocates.
class row_gather {
public:
    /// For vectors in memory of the processor. All ranks call it. Throws usage_error unless the
    /// ranks' rows follow each other and cover all rows; throws beyond_memory.
    row_gather(const comm::communicator& ranks, row_range own, std::size_t rows,
               std::size_t systems, processor who);

    /// Completes each y_s on every rank; waits until it is complete.
    void operator()(double* y, std::size_t systems, stream_t stream);

    /// Bytes that a row_gather takes in memory of the processor. All ranks call it.
    static std::size_t bytes_of(const comm::communicator& ranks, std::size_t own_rows,
                                std::size_t systems, processor who);

private:
    void copy(double* to, std::size_t to_next, const double* from, std::size_t from_next,
              std::size_t rows, std::size_t systems, stream_t stream) const;

    const comm::communicator* ranks_;
    processor who_;
    std::vector<row_range> parts_;
    std::size_t rows_, most_ = 0;
    memory::buffer<double> own_, all_;
};

}  // namespace watari::hmatrix
