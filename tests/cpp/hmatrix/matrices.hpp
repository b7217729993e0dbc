/// Matrices of shapes for the tests: in a file, or dense in memory.
#pragma once

#include "folder.hpp"
#include "watari/hmatrix/build/build.hpp"
#include "watari/hmatrix/surface/shapes.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace watari::hmatrix {

/// All bytes of a file.
inline std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

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
