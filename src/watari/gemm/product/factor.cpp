#include "watari/gemm/product/factor.hpp"

#include "watari/core/error.hpp"
#include "watari/memory/rows/rows.hpp"
#include "watari/objects/object_set.hpp"

namespace watari::gemm {

/// Sizes and versions of objects.
static files::matrix_state state_of(const files::matrix_file& where) {
    const objects::object_set all(where.paths());
    files::matrix_state result;
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const objects::object_facts& one = all.facts(i);
        result.bytes.push_back(one.bytes);
        result.version.bytes += one.bytes;
        for (const char letter : one.etag)
            hash = memory::mixed(static_cast<unsigned char>(letter), hash);
    }
    result.version.changed = static_cast<std::int64_t>(hash);
    return result;
}

files::npy_matrix factor_at(const files::matrix_file& where, precision type, bool by_columns) {
    if (!in_objects(where)) return files::at_place(where, type, by_columns);
    return files::with_state(where, type, by_columns, state_of(where));
}

bool factor_changed(const files::npy_matrix& matrix) {
    if (!in_objects(matrix.where)) return files::has_changed(matrix);
    try {
        return state_of(matrix.where).version != matrix.state;
    } catch (const file_error&) {
        return true;  // an object is gone
    }
}

}  // namespace watari::gemm
