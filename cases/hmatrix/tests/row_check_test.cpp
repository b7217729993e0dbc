// The rows that a trial of an H-matrix verifies: exact entries, the draw, and planted errors.
#include "../native/row_check.hpp"

#include "../native/hmatrix.hpp"
#include "hmatrix/products.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

namespace watari::hmatrix {
namespace {

exact_rows exact_of(const surface& of) {
    std::vector<std::array<point, 3>> corners;
    for (const panel& one : of.panels) corners.push_back(one.corners);
    return exact_rows(std::move(corners));
}

/// A small triangle with this centroid.
std::array<point, 3> around(const point& at) {
    const point a{1e-3, 0, 0}, b{0, 1e-3, 0};
    return {at + a, at + b, at - (a + b)};
}

TEST(ExactRows, HaveTheValuesOfAnotherFormulaWith30Digits) {
    struct value {
        point at;
        double integral;
    };
    const value values[] = {
        {{1. / 3, 1. / 3, 0}, 2.40722992316401}, {{0, 0, 0}, 1.24645048028046},
        {{1, 0, 0}, 0.881373587019543},          {{0.5, 0, 0}, 1.67634826893335},
        {{0.5, 0.5, 0}, 1.76274717403909},       {{2, 0, 0}, 0.299813067711776},
        {{2, 0, 0.5}, 0.286185591586664},        {{0, 0, 0.1}, 1.09932953536585},
        {{0.5, 0, 0.001}, 1.67320991234354},     {{0.25, 0.25, 1}, 0.473156835536197},
        {{-1, 2, 0}, 0.238061635760612},         {{10, 10, 10}, 0.0295167996696304}};
    for (const value& v : values) {
        const exact_rows rows({{point{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, around(v.at)});
        EXPECT_NEAR(rows(1)[0], v.integral, 1e-12 * v.integral) << v.at.x << " " << v.at.y;
    }
}

TEST(ExactRows, AreThoseOfTheMatrixAtEveryDistance) {
    for (const char* name : {"bumpy:16", "cube:8", "spheres:6", "scan:12"}) {
        const surface of(shape(name));
        const auto n = static_cast<std::uint32_t>(of.size());
        const leaf_maker maker(of.panels, {.eps = 1e-11});
        const exact_rows exact = exact_of(of);
        std::vector<double> row(n);
        for (std::uint32_t i = 0; i < n; i += n / 7) {
            maker.row({0, n, 0, n, false}, i, row.data());
            const std::vector<double> other = exact(i);
            for (std::uint32_t j = 0; j < n; ++j) ASSERT_NEAR(other[j], row[j], 2e-12 * row[j]);
        }
    }
}

std::vector<double> product_of(const built& m, const std::vector<double>& x) {
    return product(m, x, x.size() / m.size());
}

std::vector<std::size_t> all_rows(std::size_t count) {
    std::vector<std::size_t> rows(count);
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

/// A shape whose triangles become smaller towards the planes through the origin.
mesh graded(const std::string& name) {
    mesh m = shape(name);
    for (point& v : m.vertices) {
        const point p = v + point{0.01, 0.02, 0.03};  // no two vertices become one
        v = {p.x * p.x * p.x, p.y * p.y * p.y, p.z * p.z * p.z};
    }
    return m;
}

TEST(RowCheck, AcceptsEveryRowOfRightMatrices) {
    for (const mesh& m : {shape("bumpy:7"), shape("spheres:5"), shape("scan:7"), graded("cube:10")})
        for (const double eps : {1e-3, 1e-7})
            for (const bool recompress : {true, false}) {
                const built made(m, {.eps = eps, .recompress = recompress});
                const std::vector<double> x = check_vector(2 * made.size(), 5);
                EXPECT_EQ(wrong_rows(exact_of(made.of), all_rows(made.size()), x,
                                     product_of(made, x), eps),
                          0u)
                    << made.size() << " " << eps << " " << recompress;
            }
}

TEST(RowCheck, SeesWhatIsNotANumber) {
    const built m("bumpy:4");
    const std::vector<double> x = check_vector(m.size(), 5), y(m.size(), NAN);
    const auto rows = draw_rows(m.index.leaves, 1);
    EXPECT_EQ(wrong_rows(exact_of(m.of), rows, x, y, 1e-6), rows_drawn);
}

TEST(RowCheck, DrawsFromEveryLeafOfEachStratum) {
    const built m("bumpy:12");
    const auto strata = strata_of(m.index.leaves);
    ASSERT_EQ(strata.size(), 4u);
    std::set<std::size_t> all;
    for (const auto& stratum : strata) all.insert(stratum.begin(), stratum.end());
    EXPECT_EQ(all.size(), m.index.leaves.size());
    std::set<std::size_t> rows;
    for (std::uint64_t seed = 0; seed < 1500; ++seed)
        for (const std::size_t row : draw_rows(m.index.leaves, seed)) rows.insert(row);
    EXPECT_EQ(rows.size(), m.size());
    EXPECT_NE(draw_rows(m.index.leaves, 1), draw_rows(m.index.leaves, 2));
}

/// The chance that the head of row_check.hpp states.
double chance_of(std::span<const leaf_record> leaves, const leaf_record& of) {
    const auto strata = strata_of(leaves);
    double missed = 1;
    for (std::size_t s = 0; s < strata.size(); ++s) {
        double common = 0;
        for (const std::size_t k : strata[s]) {
            const leaf_record& one = leaves[k];
            const double first = std::max(one.row, of.row),
                         last = std::min(one.row + one.rows, of.row + of.rows);
            common += std::max(0.0, last - first) / one.rows;
        }
        const std::size_t draws = (rows_drawn - s + strata.size() - 1) / strata.size();
        missed *= std::pow(1 - common / double(strata[s].size()), double(draws));
    }
    return 1 - missed;
}

/// Doubles the elements of leaves in a file, with checksums that fit.
void damage(const std::string& path, std::span<const leaf_record> leaves) {
    matrix_index index = read_index(path);
    std::string bytes = content(path);
    for (const leaf_record& leaf : leaves)
        for (std::uint64_t k = 0; k < leaf.elements(); ++k) {
            double value;
            std::memcpy(&value, bytes.data() + leaf.offset + 8 * k, 8);
            value *= 2;
            std::memcpy(bytes.data() + leaf.offset + 8 * k, &value, 8);
        }
    for (std::size_t page = 0; page < index.sums.size(); ++page) {
        const std::size_t at = (page + 1) * page_bytes;
        index.sums[page] = checksum_of(bytes.data() + at, page_bytes, at / 8);
    }
    const std::string after = index_bytes(index);
    index.head.index_checksum = checksum_of(after.data(), after.size());
    bytes.replace(index.head.index_offset, after.size(), after);
    bytes.replace(0, page_bytes, head_bytes(index.head));
    std::ofstream(path, std::ios::binary) << bytes;
}

/// A trial takes its matrix from the file of an earlier trial.
TEST(RowCheck, EndsATrialWithAWrongMatrix) {
    const storage::directory folder;
    case_parameters p;
    p.solve.product = by("posix");
    p.solve.product.systems = 2;
    p.folders = {folder.path};
    const surface of(shape("bumpy:6"));
    const measure::trial right = run(of, p), again = run(of, p);
    EXPECT_EQ(right.wrong_elements, 0u);
    EXPECT_EQ(right.quantities.at("checked_rows").value, rows_drawn);
    EXPECT_NE(right.quantities.at("seed").value, again.quantities.at("seed").value);
    const std::filesystem::path file = *std::filesystem::directory_iterator(folder.path);
    damage(file, read_index(file.string()).leaves);
    EXPECT_EQ(run(of, p).wrong_elements, rows_drawn);
}

class RowCheckOfStratum : public ::testing::TestWithParam<std::size_t> {};

/// An error in one leaf is seen as often as it should be, over many seeds.
TEST_P(RowCheckOfStratum, SeesAnErrorInALeafWithTheStatedChance) {
    built m("bumpy:8");
    const auto stratum = strata_of(m.index.leaves).at(GetParam());
    const leaf_record leaf = m.index.leaves[stratum[stratum.size() / 3]];
    const double chance = chance_of(m.index.leaves, leaf);
    damage(m.path, {&leaf, 1});
    m.index = read_index(m.path);
    const std::vector<double> x = check_vector(m.size(), 5), y = product_of(m, x);
    const exact_rows exact = exact_of(m.of);
    constexpr int tries = 4000, compared = 8;
    int seen = 0;
    for (std::uint64_t seed = 0; seed < tries; ++seed) {
        const auto rows = draw_rows(m.index.leaves, seed);
        const auto hits = std::count_if(rows.begin(), rows.end(), [&](std::size_t row) {
            return row >= leaf.row && row < leaf.row + leaf.rows;
        });
        seen += hits > 0;
        if (seed >= compared) continue;
        EXPECT_EQ(wrong_rows(exact, rows, x, y, 1e-6), static_cast<std::size_t>(hits));
    }
    EXPECT_GT(chance, 0.2);
    const double scatter = std::sqrt(tries * chance * (1 - chance));
    EXPECT_NEAR(seen, tries * chance, 4 * scatter + 1) << leaf.rows << " x " << leaf.columns;
}

INSTANTIATE_TEST_SUITE_P(Of, RowCheckOfStratum, ::testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace watari::hmatrix
