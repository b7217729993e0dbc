#include "watari/hmatrix/file/matrix_files.hpp"

namespace watari::hmatrix {

matrix_files::matrix_files(const matrix_paths& of)
    : opened_({.paths = of.all, .cache = files::cache_state::cold, .stripe = stripe_bytes}) {}

std::string matrix_files::read(std::uint64_t offset, std::size_t bytes) const {
    std::string all;
    while (all.size() < bytes) {
        const files::striped_files::piece at =
            opened_.piece_at(offset + all.size(), bytes - all.size());
        const std::string some =
            files::bytes_of(opened_.descriptor_of(at.file), at.offset, at.bytes);
        all += some;
        if (some.size() < at.bytes) break;
    }
    return all;
}

std::vector<files::file_state> matrix_files::states() const {
    std::vector<files::file_state> all;
    for (std::size_t i = 0; i < opened_.count(); ++i)
        all.push_back(files::file_state::of(opened_.descriptor_of(i)));
    return all;
}

}  // namespace watari::hmatrix
