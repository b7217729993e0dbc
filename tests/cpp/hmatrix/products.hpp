/// y = A x in one call, for the tests of products.
#pragma once

#include "hmatrix/matrices.hpp"
#include "watari/hmatrix/product/matrix.hpp"

#include <string>
#include <vector>

namespace watari::hmatrix {

inline std::vector<double> product(const built& m, const std::vector<double>& x,
                                   std::size_t systems, product_options how = {}) {
    how.systems = systems;
    matrix_product a(m.path, m.index, how);
    std::vector<double> y(x.size());
    a.apply(y.data(), x.data(), systems);
    return y;
}

/// Options for an engine of files, or of queues over the file's content in memory.
inline product_options by(const std::string& engine) {
    product_options how;
    how.engine = engine;
    how.direct = false;
    return how;
}

}  // namespace watari::hmatrix
