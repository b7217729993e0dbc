/// What could be wrong with a product of .npy files, looked at before anything is written.
#pragma once

#include "watari/files/npy.hpp"

#include <string>

namespace watari::gemm {

/// Paths as they were named.
struct product_names {
    const std::string &a, &b, &c;
    const char *of_a = "", *of_b = "";  ///< behind a name: ` transposed`
};

/// Where a name leads, through links, to a file that need not be there. Throws file_error.
std::string real_path(const std::string& named);

/// Throws file_error for factors, A and B as they are multiplied, that have no product, or none
/// that a file holds.
void require_product(const files::npy_matrix& a, const files::npy_matrix& b,
                     const product_names& named);

/// Throws file_error or usage_error where the product cannot be put: at `output`, the real path of
/// C, or where it is made.
void require_output(const std::string& output, const files::npy_matrix& a,
                    const files::npy_matrix& b, const std::string& named);

/// What beta multiplies. Throws file_error.
files::npy_matrix read_old(const std::string& path, const files::npy_matrix& a,
                           const files::npy_matrix& b);

}  // namespace watari::gemm
