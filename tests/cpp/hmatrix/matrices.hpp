/// Matrices of shapes for the tests: in a file, or dense in memory.
#pragma once

#include "file_content.hpp"
#include "folder.hpp"
#include "watari/hmatrix/build/build.hpp"
#include "watari/hmatrix/surface/shapes.hpp"

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace watari::hmatrix {

/// A surface, and its matrix in a temporary file.
struct built {
    storage::directory folder{};
    surface of;
    std::string path = folder.path + "/matrix";
    build_counts counts;
    matrix_index index;

    explicit built(const std::string& name, const build_options& how = {})
        : built(shape(name), how) {}
    explicit built(const mesh& m, const build_options& how = {})
        : of(m), counts(build(of, path, how)), index(read_index(path)) {}
    std::size_t size() const { return of.size(); }
};

/// The exact matrix times each of some vectors.
inline std::vector<double> dense_product(const surface& of, const std::vector<double>& x,
                                         std::size_t systems) {
    const std::size_t n = of.size();
    const leaf_maker exact(of.panels, {.eps = 1e-11});
    std::vector<double> y(n * systems), row(n);
    for (std::size_t i = 0; i < n; ++i) {
        exact.row({0, static_cast<std::uint32_t>(n), 0, static_cast<std::uint32_t>(n), false}, i,
                  row.data());
        for (std::size_t s = 0; s < systems; ++s)
            for (std::size_t j = 0; j < n; ++j) y[s * n + i] += row[j] * x[s * n + j];
    }
    return y;
}

/// A progress function that stops a build at its call number `last`.
inline auto stop_at(int last) {
    return [last, calls = 0](double) mutable { return ++calls < last; };
}

/// Entry (i, j) of a leaf that has these elements.
inline double entry_of(const std::vector<double>& elements, const leaf_rows& strips,
                       std::uint32_t rank, std::size_t columns, std::uint32_t i, std::size_t j) {
    if (rank == dense) return elements[strips.place(columns, i, j)];
    const double* const u = elements.data() + std::size_t{rank} * columns;
    double sum = 0;
    for (std::size_t r = 0; r < rank; ++r)
        sum += u[strips.place(rank, i, r)] * elements[r * columns + j];
    return sum;
}

inline std::vector<double> random_vector(std::size_t count, unsigned seed = 1) {
    std::mt19937_64 bits(seed);
    std::normal_distribution<double> normal;
    std::vector<double> values(count);
    for (double& value : values) value = normal(bits);
    return values;
}

inline double norm(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value * value;
    return std::sqrt(sum);
}

/// |a - b| / |b|
inline double difference(std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return norm(a) / norm(b);
}

}  // namespace watari::hmatrix
