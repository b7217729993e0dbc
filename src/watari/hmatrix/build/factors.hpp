/// A low-rank block as U V, and its recompression.
#pragma once

#include <cstddef>
#include <vector>

namespace watari::hmatrix {

/// The block sum over r of u_r v_r. u_r has `rows` elements from u[r * rows] on, v_r has `columns`
/// elements from v[r * columns] on.
struct factors {
    std::size_t rows, columns, rank = 0;
    std::vector<double> u{}, v{};
};

/// Returns factors of the smallest rank, 1 or more, whose Frobenius distance is at most
/// `tolerance`: U = Q R and V = P S by modified Gram and Schmidt, applied twice; the singular
/// values of R S^T, a few dozen rows and columns, by one-sided Jacobi rotations. (LAPACK would be
/// called for each of 1e5 blocks, from every thread at once; an SVD this small costs less than its
/// ACA.)
factors recompressed(const factors& of, double tolerance);

}  // namespace watari::hmatrix
