/// Matrices in a user's files, whatever their format: the place of the elements, and the state of
/// the files by which a change is recognised. .npy files have their place in a header (npy.hpp); of
/// other formats python/watari/arrays reads it.
#pragma once

#include "watari/core/precision.hpp"
#include "watari/files/file_state.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace watari::files {

/// A matrix in a file, row by row; or in a grid of files of equal size, each of which has
/// chunk_rows x chunk_columns elements, row by row.
struct matrix_file {
    std::string path;          ///< of the file, or of the folder of the grid
    std::uint64_t offset = 0;  ///< bytes before element (0, 0) in a file
    std::size_t rows = 0, columns = 0;
    std::optional<half_type> half{};    ///< its elements have 2 bytes
    std::vector<std::string> chunks{};  ///< files of a grid, row by row; empty: one file
    std::size_t chunk_rows = 0, chunk_columns = 0;

    std::vector<std::string> paths() const { return chunks.empty() ? std::vector{path} : chunks; }
};

/// The matrix as it is used: rows and columns are exchanged if the file holds the transpose.
inline matrix_file as_used(matrix_file file, bool transposed) {
    if (transposed) std::swap(file.rows, file.columns);
    return file;
}

/// A matrix as its file's header describes it.
struct npy_matrix {
    matrix_file where;          ///< by its real path
    precision type;             ///< of its elements when they are multiplied
    bool by_columns = false;    ///< `where` is its transpose
    file_version state;         ///< when the header was read
    std::uint64_t sampled = 0;  ///< a checksum of blocks of its content, at that time
};

/// Throws file_error for a matrix without elements, or with more than any file holds.
void require_elements(const std::string& path, std::size_t rows, std::size_t columns);

/// The state of all files of a matrix, and the bytes of each.
struct matrix_state {
    file_version version{};
    std::vector<std::uint64_t> bytes{};
};

/// A matrix whose place and state are known. Throws file_error if it has no elements, or a file
/// does not have their bytes.
npy_matrix with_state(const matrix_file& where, precision type, bool by_columns,
                      const matrix_state& state);

/// A matrix whose place is known, with the state of its files and their checksum. Throws file_error
/// if it has no elements, or a file does not have their bytes.
npy_matrix at_place(const matrix_file& where, precision type, bool by_columns);

/// Whether the file or its content changed since its header was read: by name, size, time of
/// change, inode and device. If only its attributes changed (ctime: a mode, an owner, a link), the
/// sampled blocks decide.
bool has_changed(const npy_matrix& matrix);

/// NumPy's name of a precision: `float32` or `float64`; and of a matrix's elements.
std::string npy_type(precision type);
std::string type_name(const npy_matrix& matrix);

/// The shape as text: `300 x 200`.
std::string shape_text(const matrix_file& matrix);

}  // namespace watari::files
