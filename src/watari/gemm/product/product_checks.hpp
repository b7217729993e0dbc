/// Checks of a product of .npy files before anything is written.
#pragma once

#include "watari/files/matrices/npy.hpp"

#include <string>

namespace watari::gemm {

/// Paths as the user named them.
struct product_names {
    const std::string &a, &b, &c;
    const char *of_a = "", *of_b = "";  ///< behind a name: ` transposed`
};

/// Follows the links of a name; the file need not exist. Throws file_error.
std::string real_path(const std::string& named);

/// Throws file_error if A and B, as they are multiplied, differ in type or inner dimension, or if
/// their product is too large for a file.
void require_product(const files::npy_matrix& a, const files::npy_matrix& b,
                     const product_names& named);

/// Throws file_error or usage_error if the product cannot be written: to `output`, the real path of
/// C, or to the files beside it.
void require_output(const std::string& output, const files::npy_matrix& a,
                    const files::npy_matrix& b, const std::string& named);

/// Reads the header of old C, which beta multiplies. Throws file_error.
/// `plain`: it has none.
files::npy_matrix read_old(const std::string& path, const files::npy_matrix& a,
                           const files::npy_matrix& b, bool plain);

}  // namespace watari::gemm
