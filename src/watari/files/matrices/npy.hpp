/// Reads and checks the header of a .npy file; makes a header whose data begin on a page.
///
/// The format is NumPy's, versions 1 to 3 (numpy.org/doc: numpy.lib.format); here a file holds one
/// matrix of float32, float64 or float16, by rows or by columns, in this machine's byte order, so
/// that its elements can be read where they lie. A matrix by columns is its transpose by rows.
#pragma once

#include "watari/files/matrices/matrix.hpp"

#include <cstddef>
#include <string>

namespace watari::files {

/// Bytes of the header of files that are written: it aligns their data for direct I/O.
inline constexpr std::size_t npy_header_bytes = 4096;

/// Reads the header, and 66 blocks of 4 KiB, spread evenly, for the checksum: some milliseconds.
/// Throws file_error.
npy_matrix read_npy(const std::string& path);

/// The header of a file, npy_header_bytes long: version 1.0, padded as the format requires.
std::string npy_header(std::size_t rows, std::size_t columns, precision type);

}  // namespace watari::files
