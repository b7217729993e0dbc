/// y = A x in one call, for the tests of products.
#pragma once

#include "hmatrix/matrices.hpp"
#include "watari/hmatrix/product/matrix.hpp"

#include <string>
#include <vector>

namespace watari::hmatrix {

inline std::vector<double> product(matrix_product& a, const std::vector<double>& x,
                                   std::size_t systems = 1) {
    std::vector<double> y(x.size());
    a.apply(y.data(), x.data(), systems);
    return y;
}

inline std::vector<double> product(const built& m, const std::vector<double>& x,
                                   std::size_t systems, product_options how = {}) {
    how.systems = systems;
    matrix_product a(m.path, m.index, how);
    return product(a, x, systems);
}

/// Options for an engine of files, or of queues over the file's content in memory.
inline product_options by(const std::string& engine) { return {.engine = engine, .direct = false}; }

}  // namespace watari::hmatrix
