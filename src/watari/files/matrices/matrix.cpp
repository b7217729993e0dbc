#include "watari/files/matrices/matrix.hpp"

#include "watari/core/error.hpp"
#include "watari/files/descriptor.hpp"
#include "watari/memory/rows/rows.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace watari::files {

namespace {

constexpr std::size_t sampled_blocks = 64, sampled_bytes = 4096;

/// A checksum of the first and last block of several files, and of sampled_blocks spread evenly
/// between them, as if the files lay one behind the other.
std::uint64_t sampled(const std::vector<std::string>& paths,
                      const std::vector<std::uint64_t>& sizes) {
    std::uint64_t all = 0, sum = 0, position = 0;
    for (const std::uint64_t bytes : sizes) all += bytes;
    const std::uint64_t last = all - std::min<std::uint64_t>(all, sampled_bytes);
    std::size_t number = 0;
    std::uint64_t before = 0;  // bytes of earlier files
    descriptor file(-1);
    for (std::size_t i = 0; i <= sampled_blocks + 1; ++i) {
        const std::uint64_t at = i > sampled_blocks ? last : last / (sampled_blocks + 1) * i;
        for (; number + 1 < sizes.size() && at >= before + sizes[number]; ++number) {
            before += sizes[number];
            file = descriptor(-1);
        }
        try {
            if (file.get() < 0) file = descriptor(paths[number], O_RDONLY | O_CLOEXEC);
            posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);
            const std::string block = bytes_of(file.get(), at - before, sampled_bytes);
            for (std::size_t k = 0; k < block.size(); k += sizeof(std::uint64_t)) {
                std::uint64_t word = 0;
                std::memcpy(&word, block.data() + k, std::min(sizeof word, block.size() - k));
                sum += memory::mixed(word, position++);
            }
        } catch (const error& wrong) {
            throw file_error(paths[number] + ": cannot be read: " + wrong.what());
        }
    }
    return sum;
}

/// The state of these files. Throws file_error.
matrix_state state_of(const std::vector<std::string>& paths) {
    matrix_state result;
    auto& [all, sizes] = result;
    for (const std::string& path : paths) {
        struct stat status {};
        if (stat(path.c_str(), &status) != 0) throw file_error(path + ": " + std::strerror(errno));
        if (!S_ISREG(status.st_mode)) throw file_error(path + ": not a file");
        const file_version one = file_version::of(status);
        all.bytes += one.bytes;
        all.changed = std::max(all.changed, one.changed);
        all.attributes = std::max(all.attributes, one.attributes);
        all.inode = paths.size() == 1 ? one.inode : memory::mixed(one.inode, all.inode);
        all.device = one.device;
        sizes.push_back(one.bytes);
    }
    return result;
}

}  // namespace

void require_elements(const std::string& path, std::size_t rows, std::size_t columns) {
    if (rows == 0 || columns == 0)
        throw file_error(path + ": has no elements: " + std::to_string(rows) + " x " +
                         std::to_string(columns));
    if (rows > SIZE_MAX / 16 / columns)
        throw file_error(path + ": not a .npy file: a matrix of " + std::to_string(rows) + " x " +
                         std::to_string(columns) + " elements");
}

npy_matrix with_state(const matrix_file& where, precision type, bool by_columns,
                      const matrix_state& state) {
    require_elements(where.path, where.rows, where.columns);
    const bool grid = !where.chunks.empty();
    const std::uint64_t element = where.half ? half_bytes : element_bytes(type);
    const std::uint64_t needed =
        where.offset +
        (grid ? where.chunk_rows * where.chunk_columns : where.rows * where.columns) * element;
    const std::vector<std::string> paths = where.paths();
    for (std::size_t i = 0; i < paths.size(); ++i)
        if (state.bytes[i] < needed || (grid && state.bytes[i] != needed))
            throw file_error(paths[i] + ": " + std::to_string(state.bytes[i]) +
                             " bytes, while its elements need " + std::to_string(needed));
    return {where, type, by_columns, state.version};
}

npy_matrix at_place(const matrix_file& where, precision type, bool by_columns) {
    const matrix_state state = state_of(where.paths());
    npy_matrix result = with_state(where, type, by_columns, state);
    result.where.path = std::filesystem::canonical(where.path).string();
    result.sampled = sampled(where.paths(), state.bytes);
    return result;
}

bool has_changed(const npy_matrix& matrix) try {
    const std::vector<std::string> paths = matrix.where.paths();
    const auto [now, sizes] = state_of(paths);
    const file_version& before = matrix.state;
    if (now != before || now.inode != before.inode || now.device != before.device) return true;
    return now.attributes != before.attributes && sampled(paths, sizes) != matrix.sampled;
} catch (const error&) {
    return true;  // a file is gone
}

std::string npy_type(precision type) {
    return type == precision::single_precision ? "float32" : "float64";
}

std::string type_name(const npy_matrix& matrix) {
    if (!matrix.where.half) return npy_type(matrix.type);
    return *matrix.where.half == half_type::float16 ? "float16" : "bfloat16";
}

std::string shape_text(const matrix_file& matrix) {
    return std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns);
}

}  // namespace watari::files
