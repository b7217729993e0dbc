/// Block-Jacobi: the inverses of the matrix's dense diagonal leaves, 15 x 15 or so, in memory of
/// the processor. Memory: about 15 doubles a row.
#pragma once

#include "watari/comm/communicator.hpp"
#include "watari/hmatrix/product/plan.hpp"

#include <string>

namespace watari::hmatrix {

class block_jacobi {
public:
    /// Reads the leaves from the matrix's file. With ranks, each rank reads its own file, and all
    /// ranks get all leaves. Throws file_error, also for a block that has no inverse.
    block_jacobi(const matrix_paths& paths, const matrix_index& index, processor who,
                 const comm::communicator* ranks = nullptr);

    /// z = M^-1 r, for vectors in the order of the tree. On a GPU it returns before it is done.
    void apply(double* z, const double* r, std::size_t systems, stream_t stream) const;

    static std::size_t bytes_of(const matrix_index& index,
                                const comm::communicator* ranks = nullptr);

private:
    processor who_;
    memory::buffer<std::byte> memory_;
    jacobi_view view_;
};

}  // namespace watari::hmatrix
