#include "watari/hmatrix/build/build.hpp"
#include "errors.hpp"
#include "folder.hpp"
#include "hmatrix/products.hpp"
#include "watari/core/error.hpp"
#include "watari/files/partial/partial_file.hpp"
#include "watari/files/window.hpp"
#include "watari/hmatrix/build/cross.hpp"
#include "watari/hmatrix/surface/shapes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace watari::hmatrix {
namespace {

/// Squares of Frobenius norms: of the file's matrix minus the dense one, and of the dense one.
struct distances {
    double error = 0, norm = 0;
};
distances compare(const std::vector<double>& exact, const std::string& path) {
    const matrix_index index = read_index(path);
    const std::string bytes = content(path);
    const std::size_t n = index.order.size();
    distances sums;
    for (const leaf_record& leaf : index.leaves) {
        std::vector<double> values(leaf.elements());
        std::memcpy(values.data(), bytes.data() + leaf.offset, 8 * values.size());
        for (std::uint32_t i = 0; i < leaf.rows; ++i)
            for (std::size_t j = 0; j < leaf.columns; ++j) {
                const double value = entry_of(values, leaf.strips(), leaf.rank, leaf.columns, i, j);
                const double entry = exact[(leaf.row + i) * n + leaf.column + j];
                sums.error += (value - entry) * (value - entry);
                sums.norm += entry * entry;
            }
    }
    return sums;
}

TEST(build, errs_less_than_eps_and_stores_less_when_recompressed) {
    const storage::directory folder;
    for (const char* name : {"cube:8", "icosphere:6", "spheres:6", "bumpy:8"}) {
        const surface of(shape(name));
        const leaf_maker maker(of.panels, {.eps = 1e-11});
        std::vector<double> exact(of.size() * of.size());
        for (std::size_t i = 0; i < of.size(); ++i)
            for (std::size_t j = 0; j < of.size(); ++j)
                exact[i * of.size() + j] = maker.entry(i, j);
        for (const double eps : {1e-3, 1e-6, 1e-9}) {
            std::uint64_t bytes[2];
            for (const bool recompress : {false, true}) {
                const std::string path = folder.path + "/matrix";
                const build_counts counts = build(of, path, {.eps = eps, .recompress = recompress});
                const distances found = compare(exact, path);
                EXPECT_LE(std::sqrt(found.error / found.norm), eps) << name << " " << recompress;
                bytes[recompress] = counts.file_bytes;
            }
            EXPECT_LE(bytes[1], bytes[0]) << name;
            EXPECT_TRUE(eps < 1e-4 || bytes[1] < bytes[0]) << name;
        }
    }
}

TEST(build, writes_the_same_bytes_whatever_threads_and_chunks) {
    const storage::directory folder;
    const surface of(shape("bumpy:6"));
    std::set<std::string> files;
    for (const std::size_t threads : {1, 2, 5})
        for (const std::size_t chunk : {1u, 1u << 14, 1u << 30}) {
            const std::string path = folder.path + "/matrix";
            build(of, path, {.chunk_bytes = chunk, .threads = threads});
            files.insert(content(path));
        }
    EXPECT_EQ(files.size(), 1u);
}

TEST(build, says_what_its_seconds_are) {
    const storage::directory folder;
    const build_counts counts = build(surface(shape("bumpy:8")), folder.path + "/matrix", {});
    const build_parts& of = counts.parts;
    const double sum = of.preparing + of.making + of.writing + of.finishing;
    EXPECT_LE(sum, counts.seconds);
    for (const double each : {of.preparing, of.making, of.writing, of.finishing})
        EXPECT_GT(each, 0);
}

/// A file in memory is written through a window.
TEST(build, writes_the_same_bytes_into_a_file_in_memory) {
    const std::string in_memory = "/dev/shm/watari-build-" + std::to_string(getpid());
    if (!files::window::suits("/dev/shm")) GTEST_SKIP() << "no file system in memory";
    const storage::directory folder;
    const surface of(shape("bumpy:9"));  // several segments
    build(of, folder.path + "/matrix", {});
    build(of, in_memory, {});
    const bool equal = content(in_memory) == content(folder.path + "/matrix");
    unlink(in_memory.c_str());
    EXPECT_TRUE(equal);
}

TEST(batches, of_any_size_cover_all_leaves) {
    const storage::directory folder;
    const surface of(shape("bumpy:5"));
    const std::string path = folder.path + "/matrix";
    build(of, path, {});
    const matrix_index index = read_index(path);
    for (const std::uint64_t bytes : {0ull, 1ull << 16, 1ull << 40}) {
        const std::vector<batch> all = batches_of(index, bytes);
        std::size_t next = 0;
        for (const batch& one : all) {
            EXPECT_EQ(one.offset % page_bytes, 0u);
            EXPECT_EQ(one.bytes % page_bytes, 0u);
            EXPECT_EQ(one.first_leaf, next);
            EXPECT_TRUE(one.leaves == 1 || one.bytes <= bytes);
            for (const std::size_t end = next + one.leaves; next < end; ++next) {
                const leaf_record& leaf = index.leaves[next];
                EXPECT_EQ(leaf.offset % leaf_unit, 0u);
                EXPECT_GE(leaf.offset, one.offset);
                EXPECT_LE(leaf.offset + 8 * leaf.elements(), one.offset + one.bytes);
            }
        }
        EXPECT_EQ(next, index.leaves.size());
        EXPECT_TRUE(bytes > 0 || all.size() == next);
        EXPECT_TRUE(bytes >> 40 == 0 || (all.size() == 1 && all[0].bytes == index.data_bytes()));
    }
}

TEST(build, resumes_to_the_same_bytes_after_a_stop_anywhere) {
    const storage::directory folder;
    const surface of(shape("bumpy:10"));
    const build_options how{.chunk_bytes = 1 << 20};
    const std::string whole = folder.path + "/whole", path = folder.path + "/matrix";
    build(of, whole, how);
    int stops = 0;
    build_counts counts{.stopped = true};
    while (counts.stopped) {
        counts = build(of, path, how, stop_at(4));
        EXPECT_FALSE(counts.stopped && std::filesystem::exists(path));
        EXPECT_TRUE(!counts.stopped || counts.resumed < counts.leaves);
        ASSERT_LT(++stops, 1000);
    }
    EXPECT_GT(stops, 3);
    EXPECT_GT(counts.resumed, 0u);
    EXPECT_EQ(content(path), content(whole));
    EXPECT_FALSE(std::filesystem::exists(files::journal_path(path)));
    EXPECT_FALSE(std::filesystem::exists(files::partial_path(path)));
}

/// Changes a byte of a file.
void damage(const std::string& path, std::uint64_t at) {
    overwrite(path, at, std::string(1, static_cast<char>(content(path).at(at) ^ 1)));
}

TEST(build, resumes_with_what_is_undamaged_alone) {
    const storage::directory folder;
    const surface of(shape("bumpy:6"));
    const build_options how{.chunk_bytes = 1 << 18};
    const std::string whole = folder.path + "/whole", path = folder.path + "/matrix";
    build(of, whole, how);
    const std::string names[] = {files::partial_path(path), files::journal_path(path)};
    for (const std::string& name : names)
        for (const double part : {0.0, 0.2, 0.9}) {
            ASSERT_TRUE(build(of, path, how, stop_at(12)).stopped);
            const auto size = static_cast<double>(std::filesystem::file_size(name));
            damage(name, static_cast<std::uint64_t>(part * size));
            build(of, path, how);
            EXPECT_EQ(content(path), content(whole)) << name << " " << part;
            std::filesystem::remove(path);
        }
}

/// Another process cuts or overwrites the file of a build: every product of it is refused.
TEST(build, leaves_a_file_that_its_readers_refuse_if_it_was_damaged_meanwhile) {
    const storage::directory folder;
    const surface of(shape("bumpy:6"));
    const std::string path = folder.path + "/matrix", partial = files::partial_path(path);
    const std::function<void()> damages[] = {[&] { std::filesystem::resize_file(partial, 8192); },
                                             [&] { damage(partial, page_bytes + 100); }};
    for (const auto& spoil : damages) {
        int calls = 0;
        build(of, path, {.chunk_bytes = 1 << 18}, [&](double) {
            if (++calls == 12) spoil();
            return true;
        });
        ASSERT_GE(calls, 12);
        const matrix_index index = read_index(path);
        EXPECT_THROW(
            {
                matrix_product damaged(path, index, {.engine = "posix"});
                product(damaged, std::vector<double>(of.size(), 1));
            },
            file_error);
        std::filesystem::remove(path);
    }
}

TEST(build, gives_its_name_to_no_other_file) {
    const storage::directory folder;
    const surface of(shape("bumpy:6"));
    const std::string path = folder.path + "/matrix", other = folder.file("other", 10);
    int calls = 0;
    EXPECT_THROW(build(of, path, {.chunk_bytes = 1 << 18},
                       [&](double) {
                           if (++calls == 4)
                               std::filesystem::rename(other, files::partial_path(path));
                           return true;
                       }),
                 file_error);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(build, does_not_resume_another_matrix) {
    const storage::directory folder;
    const surface of(shape("bumpy:10"));
    const std::string path = folder.path + "/matrix";
    build(of, path, {.chunk_bytes = 1 << 20}, stop_at(12));
    EXPECT_EQ(build(of, path, {.eps = 1e-5}).resumed, 0u);
    EXPECT_EQ(read_index(path).head.of, identity_of(of, {.eps = 1e-5}));
}

TEST(format, refuses_what_is_damaged_or_truncated) {
    const storage::directory folder;
    const surface of(shape("cube:2"));
    const std::string path = folder.path + "/matrix";
    const auto fresh = [&] { build(of, path, {}); };
    fresh();
    const std::uintmax_t size = std::filesystem::file_size(path);
    EXPECT_NO_THROW(read_index(path));
    for (const std::uintmax_t at : std::vector<std::uintmax_t>{0, 8, 20, 90, size - 1}) {
        fresh();
        damage(path, at);
        EXPECT_THROW(read_index(path), file_error) << at;
    }
    for (const std::uintmax_t bytes : std::vector<std::uintmax_t>{0, 100, 4096, size - 1}) {
        fresh();
        std::filesystem::resize_file(path, bytes);
        EXPECT_THROW(read_index(path), file_error) << bytes;
    }
}

TEST(format, names_the_version_of_an_older_file) {
    const storage::directory folder;
    const std::string path = folder.path + "/matrix";
    build(surface(shape("cube:2")), path, {});
    overwrite(path, 8, "\3");
    expect_error<file_error>([&] { read_index(path); },
                             {"has version 3 of the format, and only 4 is known; build it again"});
}

/// Two parts that share no row or column: partial pivoting alone sees one of them.
TEST(cross, reaches_a_part_that_no_pivot_has_touched) {
    constexpr std::size_t n = 40;
    std::vector<double> values(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if ((i < n / 2) == (j < n / 2))
                values[i * n + j] =
                    1 / (10.0 + static_cast<double>(i) + 2.0 * static_cast<double>(j));
    const block_entries of{
        n, n, [&](std::size_t i, double* to) { std::copy_n(values.data() + i * n, n, to); },
        [&](std::size_t j, double* to) {
            for (std::size_t i = 0; i < n; ++i) to[i] = values[i * n + j];
        }};
    const crosses crossed = cross_approximation(of, 1e-8 * norm(values), n);
    ASSERT_TRUE(crossed.found);
    EXPECT_GT(crossed.went_on, 0u);
    const factors low = recompressed(*crossed.found, 1e-8 * norm(values));
    EXPECT_LE(low.rank, crossed.found->rank);
    std::vector<double> found(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t r = 0; r < low.rank; ++r)
                found[i * n + j] += low.u[r * n + i] * low.v[r * n + j];
    EXPECT_LE(difference(found, values), 3e-8);
}

TEST(cross, takes_zeros_and_gives_up_where_told) {
    const auto zero = [](std::size_t, double* to) { std::fill(to, to + 8, 0.0); };
    const crosses none = cross_approximation({8, 8, zero, zero}, 1e-6, 8);
    ASSERT_TRUE(none.found);
    EXPECT_EQ(none.found->rank, 0u);
    const std::vector<double> values = random_vector(64, 3);
    const auto row = [&](std::size_t i, double* to) { std::copy_n(&values[i * 8], 8, to); };
    const auto column = [&](std::size_t j, double* to) {
        for (std::size_t i = 0; i < 8; ++i) to[i] = values[i * 8 + j];
    };
    EXPECT_FALSE(cross_approximation({8, 8, row, column}, 1e-6, 4).found);
    const crosses all = cross_approximation({8, 8, row, column}, 1e-6, 8);
    ASSERT_TRUE(all.found);
    EXPECT_EQ(recompressed(*all.found, 1e-13).rank, 8u);
}

}  // namespace
}  // namespace watari::hmatrix
