/// Matrices in files of their own, their product, and its error against sums in double.
#pragma once

#include "folder.hpp"
#include "watari/blas/blas.hpp"
#include "watari/core/error.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/gemm/product/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace watari::gemm {

constexpr std::size_t tile = 128;

/// Bytes of a tile in fast memory, with the units of direct I/O around rows that begin anywhere.
constexpr std::size_t slot_of(precision type, std::size_t unit = 512) {
    return tile * (divide_up(tile * element_bytes(type), unit) + 1) * unit;
}

inline std::vector<double> random_values(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> values(-1, 1);
    std::vector<double> result(count);
    for (double& each : result) each = values(engine);
    return result;
}

inline void write_elements(std::ostream& to, precision type, const std::vector<double>& values) {
    const auto write = [&](const auto& each) {
        to.write(reinterpret_cast<const char*>(each.data()),
                 static_cast<std::streamsize>(each.size() * sizeof each[0]));
    };
    if (type == precision::single_precision)
        write(std::vector<float>(values.begin(), values.end()));
    else
        write(values);
}

/// sums += a * row, absolutes += |a * row|. Without sanitizers: most of a test's time is spent
/// here.
[[gnu::no_sanitize("address", "undefined", "thread")]] inline void add_products(
    double a, const double* row, std::size_t n, double* sums, double* absolutes) {
    for (std::size_t j = 0; j < n; ++j) {
        sums[j] += a * row[j];
        absolutes[j] += std::abs(a * row[j]);
    }
}

/// A matrix in a file of its own, `offset` bytes behind its beginning.
class file_of {
public:
    file_of(const std::string& name, std::size_t rows, std::size_t columns, std::size_t offset,
            precision type, const std::vector<double>& values)
        : type_(type) {
        where = {folder_.path + "/" + name, offset, rows, columns};
        std::ofstream out(where.path, std::ios::binary | std::ios::trunc);
        out << std::string(offset, 'h');
        write_elements(out, type, values);
        out.close();
        // without this, direct I/O waits until the kernel has written these pages
        const int file = open(where.path.c_str(), O_RDONLY);
        fdatasync(file);
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        close(file);
    }

    std::vector<double> values() const {
        std::ifstream in(where.path, std::ios::binary);
        in.seekg(static_cast<std::streamoff>(where.offset));
        const auto read = [&](auto elements) {
            in.read(reinterpret_cast<char*>(elements.data()),
                    static_cast<std::streamsize>(elements.size() * sizeof elements[0]));
            return std::vector<double>(elements.begin(), elements.end());
        };
        const std::size_t count = where.rows * where.columns;
        std::vector<double> result = type_ == precision::single_precision
                                         ? read(std::vector<float>(count))
                                         : read(std::vector<double>(count));
        EXPECT_TRUE(in.good());
        return result;
    }

    files::matrix_file where;

private:
    storage::directory folder_;
    precision type_;
};

struct example {
    std::string engine;  ///< `gpu/` before the name: an engine of a GPU
    shape size;
    precision type;
    std::size_t offset;  ///< bytes in front of every matrix in its file
    double alpha, beta;
    std::size_t slots;  ///< tiles that fast memory holds
    schedule_kind schedule;
    bool direct = true;
    bool transpose_a = false, transpose_b = false;  ///< the file has the transpose
};

inline std::ostream& operator<<(std::ostream& to, const example& e) {
    return to << e.engine << " " << e.size.m << "x" << e.size.n << "x" << e.size.k << " offset "
              << e.offset << " alpha " << e.alpha << " beta " << e.beta << " slots " << e.slots
              << (e.transpose_a ? " A^T" : "") << (e.transpose_b ? " B^T" : "");
}

struct matrices {
    explicit matrices(const example& e)
        : e_(e),
          a_(random_values(e.size.m * e.size.k, 1)),
          b_(random_values(e.size.k * e.size.n, 2)),
          c_(random_values(e.size.m * e.size.n, 3)),
          a("a", e.transpose_a ? e.size.k : e.size.m, e.transpose_a ? e.size.m : e.size.k, e.offset,
            e.type, a_),
          b("b", e.transpose_b ? e.size.n : e.size.k, e.transpose_b ? e.size.k : e.size.n, e.offset,
            e.type, b_),
          old("old", e.size.m, e.size.n, e.offset, e.type, c_),
          c("c", e.size.m, e.size.n, e.offset, e.type, std::vector<double>(c_.size(), NAN)) {}

    file_product job() const {
        file_product p{.a = a.where, .b = b.where, .c = c.where, .c_read = old.where};
        const bool on_gpu = e_.engine.starts_with("gpu/");
        p.how.engine = on_gpu ? e_.engine.substr(4) : e_.engine;
        p.how.processor = on_gpu ? gpu_number(0) : the_cpu;
        p.how.tile = tile;
        p.how.schedule = e_.schedule;
        p.how.type = e_.type;
        const std::size_t unit = e_.direct ? files::direct_unit_of(a.where.path) : 0;
        p.how.fast_memory = e_.slots * slot_of(e_.type, std::max<std::size_t>(unit, 512));
        p.how.alpha = e_.alpha;
        p.how.beta = e_.beta;
        p.how.threads = 2;
        p.direct = e_.direct;
        p.transpose_a = e_.transpose_a;
        p.transpose_b = e_.transpose_b;
        p.how.depth = p.how.engine == "posix" || p.how.engine == "mmap" ? 1 : 8;
        return p;
    }

    /// The largest error, in units of the tolerance.
    double error() const {
        const std::vector<double> values = c.values();
        const bool single = e_.type == precision::single_precision;
        const double epsilon = single ? 1.2e-7 : 2.3e-16;
        const auto rounded = [&](double v) { return single ? static_cast<float>(v) : v; };
        std::vector<double> right(e_.size.k * e_.size.n);  // B as it is multiplied
        for (std::size_t l = 0; l < e_.size.k; ++l)
            for (std::size_t j = 0; j < e_.size.n; ++j)
                right[l * e_.size.n + j] =
                    rounded(b_[e_.transpose_b ? j * e_.size.k + l : l * e_.size.n + j]);
        double worst = 0;
        for (std::size_t i = 0; i < e_.size.m; ++i) {
            std::vector<double> sums(e_.size.n), absolutes(e_.size.n, 1e-30);
            for (std::size_t l = 0; l < e_.size.k; ++l)
                add_products(rounded(a_[e_.transpose_a ? l * e_.size.m + i : i * e_.size.k + l]),
                             &right[l * e_.size.n], e_.size.n, sums.data(), absolutes.data());
            for (std::size_t j = 0; j < e_.size.n; ++j) {
                const double before = e_.beta == 0 ? 0 : e_.beta * rounded(c_[i * e_.size.n + j]);
                const double expected = e_.alpha * sums[j] + before;
                const double absolute = std::abs(e_.alpha) * absolutes[j] + std::abs(before);
                const double off = std::abs(values[i * e_.size.n + j] - expected);
                const double roundings = 4 + static_cast<double>(e_.size.k);
                worst = std::max(worst,
                                 std::isnan(off) ? 1e300 : off / (absolute * epsilon * roundings));
            }
        }
        return worst;
    }

    example e_;
    std::vector<double> a_, b_, c_;
    file_of a, b, old, c;
};

/// Whether this machine can compute products. Uses NumPy's library if WATARI_NUMPY_FOLDER names its
/// folder.
inline bool can_multiply() {
    if (const char* folder = std::getenv("WATARI_NUMPY_FOLDER")) blas::set_numpy_folder(folder);
    try {
        blas::make(the_cpu, precision::single_precision, 1, nullptr);
        return true;
    } catch (const unsupported&) {
        return false;
    }
}

/// A progress function that notes all tiles in `reported`, and goes on.
inline auto noted_in(std::set<tile_of_c>& reported) {
    return [&reported](const completed_tiles& tiles, double) {
        for (const auto& [at, checksum] : tiles) reported.insert(at);
        return true;
    };
}

class FileProduct : public ::testing::Test {
protected:
    void SetUp() override {
        if (!can_multiply()) GTEST_SKIP() << "no BLAS here";
    }
};

}  // namespace watari::gemm
