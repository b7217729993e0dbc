#include "watari/gemm/product/product_checks.hpp"

#include "watari/core/error.hpp"
#include "watari/files/partial/partial_file.hpp"
#include "watari/gemm/product/journal.hpp"

#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

namespace watari::gemm {

namespace {

namespace fs = std::filesystem;

/// Old C without a header: the file has exactly its elements.
files::npy_matrix plain_old(const files::matrix_file& wanted, precision type) {
    std::error_code problem;
    const std::uint64_t needed = std::uint64_t{wanted.rows} * wanted.columns * element_bytes(type);
    const std::uint64_t there = fs::file_size(wanted.path, problem);
    if (problem) throw file_error(wanted.path + ": cannot be read: " + problem.message());
    if (there != needed)
        throw file_error(wanted.path + ": has " + std::to_string(there) +
                         " bytes; to add to it, it must be " + files::shape_text(wanted) + ", " +
                         files::npy_type(type) + ", " + std::to_string(needed) + " bytes");
    return files::at_place(wanted, type, false);
}

constexpr std::uint64_t most_bytes = INT64_MAX - 2 * files::npy_header_bytes;  ///< data of a file

}  // namespace

std::string real_path(const std::string& named) {
    constexpr int most_links = 40;  // the limit of the kernel
    std::error_code problem;
    fs::path path = fs::absolute(named, problem);
    for (int links = 0; !problem && links < most_links; ++links) {
        std::error_code no_link;
        const fs::path next = fs::read_symlink(path, no_link);
        if (no_link) break;
        path = path.parent_path() / next;
    }
    if (!problem) path = fs::weakly_canonical(path, problem);
    if (problem) throw file_error(named + ": cannot be written: " + problem.message());
    return path.string();
}

void require_product(const files::npy_matrix& a, const files::npy_matrix& b,
                     const product_names& named) {
    if (a.where.columns != b.where.rows)
        throw file_error(named.a + named.of_a + " is " + files::shape_text(a.where) + " and " +
                         named.b + named.of_b + " is " + files::shape_text(b.where) +
                         ": columns of the first must be rows of the second");
    if (a.type != b.type)
        throw file_error(named.a + " is of " + files::type_name(a) + " and " + named.b + " of " +
                         files::type_name(b) + ": must be the same, or 2 and 4 bytes long");
    if (a.where.rows > most_bytes / element_bytes(a.type) / b.where.columns)
        throw file_error(named.c + ": cannot be written: no file holds " +
                         std::to_string(a.where.rows) + " x " + std::to_string(b.where.columns) +
                         " elements");
}

void require_output(const std::string& output, const files::npy_matrix& a,
                    const files::npy_matrix& b, const std::string& named) {
    std::error_code problem;
    if (fs::exists(output, problem) && !fs::is_regular_file(output, problem))
        throw file_error(named + ": cannot be written: not a regular file");
    if (fs::exists(output, problem) && access(output.c_str(), W_OK) != 0)
        throw file_error(named + ": cannot be written: " + std::strerror(errno));
    const std::string journal = files::journal_path(output);
    const std::string beside[] = {files::partial_path(output), journal, begun_path(journal)};
    for (const files::npy_matrix* factor : {&a, &b})
        for (const std::string& each : {output, beside[0], beside[1], beside[2]})
            if (fs::equivalent(each, factor->where.path, problem))
                throw usage_error((each == output ? named : each) +
                                  " is also a factor: the product needs a file of its own");
    for (const std::string& each : beside)  // a run would block on a FIFO, and remove it in the end
        if (fs::exists(each, problem) && !fs::is_regular_file(each, problem))
            throw file_error(named + ": cannot be written: " + each + " is not a regular file");
    const fs::path folder = fs::path(output).parent_path();
    if (!fs::is_directory(folder, problem))
        throw file_error(named + ": cannot be written: no folder " + folder.string());
}

files::npy_matrix read_old(const std::string& path, const files::npy_matrix& a,
                           const files::npy_matrix& b, bool plain) {
    const files::matrix_file wanted{path, 0, a.where.rows, b.where.columns};
    if (plain) return plain_old(wanted, a.type);
    const files::npy_matrix old = files::read_npy(path);
    if (old.by_columns)
        throw file_error(path +
                         ": lies column by column (Fortran order), and the product by rows: save "
                         "numpy.ascontiguousarray(x)");
    if (files::shape_text(old.where) != files::shape_text(wanted) || old.type != a.type ||
        old.where.half)
        throw file_error(path + ": is " + files::shape_text(old.where) + ", " +
                         files::type_name(old) + "; to add to it, it must be " +
                         files::shape_text(wanted) + ", " + files::npy_type(a.type));
    return old;
}

}  // namespace watari::gemm
