// Matrices whose leaves a GPU made: as precise and as small as the CPU's, with the same bytes for
// any chunks and after any stop.
#include "hmatrix/products.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"

#include <gtest/gtest.h>

namespace watari::hmatrix {
namespace {

TEST(GpuBuild, is_refused_without_a_gpu) {
    if (device::count() > 0) GTEST_SKIP() << "there is a GPU";
    const storage::directory folder;
    const surface of(shape("cube:2"));
    EXPECT_THROW(build(of, folder.path + "/matrix", {.who = gpu_number(0)}), unsupported);
}

TEST(GpuBuild, is_as_precise_and_as_small_as_that_of_the_cpu) {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    for (const char* name : {"cube:8", "icosphere:8", "spheres:6", "bumpy:8"})
        for (const double eps : {1e-3, 1e-6, 1e-9})
            for (const bool recompress : {true, false}) {
                build_options how{.eps = eps, .recompress = recompress};
                const built by_cpu(name, how);
                how.who = gpu_number(0);
                const built by_gpu(name, how);
                const std::vector<double> x = random_vector(by_gpu.size());
                EXPECT_LE(difference(product(by_gpu, x, 1), dense_product(by_gpu.of, x, 1)), eps);
                const auto bytes = static_cast<double>(by_cpu.counts.file_bytes);
                EXPECT_NEAR(static_cast<double>(by_gpu.counts.file_bytes), bytes, 0.01 * bytes);
                EXPECT_LE(by_gpu.counts.highest_rank, by_cpu.counts.highest_rank + 2);
            }
}

TEST(GpuBuild, writes_the_same_bytes_whatever_chunks_and_stops) {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    for (const bool single : {false, true}) {
        build_options how{.single = single, .who = gpu_number(0)};
        const built whole("bumpy:16", how);
        how.chunk_bytes = 4 << 20;
        const std::string path = whole.folder.path + "/parts";
        build_counts counts{.stopped = true};
        std::size_t stops = 0;
        for (; counts.stopped; ++stops) {
            counts = build(whole.of, path, how, stop_at(8));
            ASSERT_LT(stops, 100u);
        }
        EXPECT_GT(stops, 1u);
        EXPECT_EQ(content(path), content(whole.path));
    }
}

TEST(GpuBuild, resumes_that_of_the_cpu) {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    const built whole("bumpy:16", {.chunk_bytes = 1 << 20});
    const std::string path = whole.folder.path + "/both";
    build(whole.of, path, {.chunk_bytes = 1 << 20}, stop_at(8));
    EXPECT_GT(build(whole.of, path, {.who = gpu_number(0)}).resumed, 0u);
    const std::vector<double> x = random_vector(whole.size());
    matrix_product a(path, read_index(path), {});
    EXPECT_LE(difference(product(a, x), dense_product(whole.of, x, 1)), 1e-6);
}

TEST(GpuBuild, of_some_rows_has_them) {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    const built part("bumpy:8", {.who = gpu_number(0), .rows = {100, 500}});
    const std::vector<double> x = random_vector(part.size());
    const std::vector<double> y = product(part, x, 1), exact = dense_product(part.of, x, 1);
    const auto rows = [](const std::vector<double>& all) {
        return std::vector<double>(all.begin() + 100, all.begin() + 600);
    };
    EXPECT_LE(difference(rows(y), rows(exact)), 1e-5);
}

}  // namespace
}  // namespace watari::hmatrix
