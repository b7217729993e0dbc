/// The factors of a product, in files or in objects: where their elements lie, and whether they
/// changed since.
#pragma once

#include "watari/files/matrices/matrix.hpp"
#include "watari/objects/service/address.hpp"

namespace watari::gemm {

/// Whether the elements lie in objects, which engine s3 reads.
inline bool in_objects(const files::matrix_file& where) { return objects::is_address(where.path); }

/// As files::at_place. The version of objects is a hash of their ETags. Throws what opening them
/// throws.
files::npy_matrix factor_at(const files::matrix_file& where, precision type, bool by_columns);

/// As files::has_changed; an object changed if its ETag is another.
bool factor_changed(const files::npy_matrix& matrix);

}  // namespace watari::gemm
