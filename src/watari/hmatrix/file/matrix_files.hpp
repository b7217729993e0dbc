/// The file of an H-matrix, or several over which it is striped, a stripe of each in turn.
#pragma once

#include "watari/files/file_state.hpp"
#include "watari/files/striped_files.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace watari::hmatrix {

inline constexpr std::size_t stripe_bytes = std::size_t{1} << 20;

/// The paths of a matrix. A single path converts to it.
struct matrix_paths {
    std::vector<std::string> all;

    matrix_paths(std::string one) : all{std::move(one)} {}
    matrix_paths(const char* one) : all{one} {}
    explicit matrix_paths(std::vector<std::string> several) : all(std::move(several)) {}

    /// The file that has the head. Errors name it.
    const std::string& first() const { return all.front(); }
};

/// The same, open for reading.
class matrix_files {
public:
    /// Throws system_error.
    explicit matrix_files(const matrix_paths& of);

    const std::string& path() const { return opened_.path(0); }
    std::size_t count() const { return opened_.count(); }
    std::uint64_t bytes() const { return opened_.bytes(); }
    /// Returns fewer bytes where a file ends.
    std::string read(std::uint64_t offset, std::size_t bytes) const;
    /// The state of each file now.
    std::vector<files::file_state> states() const;

private:
    files::striped_files opened_;
};

}  // namespace watari::hmatrix
