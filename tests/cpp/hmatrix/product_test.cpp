#include "hmatrix/matrices.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/hmatrix/product/jacobi.hpp"
#include "watari/hmatrix/product/matrix.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/ram.hpp"
#include "watari/storage/engines/engine.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace watari::hmatrix {
namespace {

std::vector<double> product(const built& m, const std::vector<double>& x, std::size_t systems,
                            product_options how = {}) {
    how.systems = systems;
    matrix_product a(m.path, m.index, how);
    std::vector<double> y(x.size());
    a.apply(y.data(), x.data(), systems);
    return y;
}

TEST(product, is_that_of_the_dense_matrix_within_eps) {
    for (const char* name : {"cube:8", "icosphere:8", "spheres:6", "bumpy:8"})
        for (const double eps : {1e-3, 1e-6, 1e-9}) {
            const built m(name, {.eps = eps});
            const std::vector<double> x = random_vector(m.size());
            EXPECT_LE(difference(product(m, x, 1), dense_product(m.of, x, 1)), eps) << name;
        }
}

TEST(product, in_single_precision_errs_as_much_as_its_elements) {
    const built m("bumpy:8", {.single = true});
    const std::vector<double> x = random_vector(m.size());
    const double error = difference(product(m, x, 1), dense_product(m.of, x, 1));
    EXPECT_LE(error, 1e-6);
    EXPECT_GT(error, 1e-9);
}

TEST(product, of_several_vectors_has_the_bits_of_each) {
    const built m("bumpy:6");
    const std::vector<double> x = random_vector(m.size() * 15);
    const std::vector<double> all = product(m, x, 15);
    for (std::size_t s = 0; s < 15; ++s) {
        const auto at = static_cast<std::ptrdiff_t>(s * m.size());
        const auto size = static_cast<std::ptrdiff_t>(m.size());
        const std::vector<double> own(x.begin() + at, x.begin() + at + size);
        EXPECT_EQ(product(m, own, 1),
                  std::vector<double>(all.begin() + at, all.begin() + at + size));
    }
}

/// What an engine of files, or of queues over the file's content in memory, is asked.
product_options by(const std::string& engine) {
    product_options how;
    how.engine = engine;
    how.direct = false;
    return how;
}

bool is_here(const std::string& engine, const std::string& path) {
    storage::store_options wanted;
    wanted.engine = engine;
    wanted.files = {.paths = {path}, .padded = true};
    wanted.files.cache = files::cache_state::cold;
    try {
        storage::require_engine(wanted);
        return true;
    } catch (const unsupported&) {
        return false;
    }
}

TEST(product, has_the_same_bits_whatever_budget_batch_engine_and_threads) {
    std::set<std::vector<double>> results;
    std::size_t runs = 0;
    const int threads = cpu::current_team().threads;
    const built m("bumpy:6");
    const std::vector<double> x = random_vector(m.size() * 2);
    for (const std::size_t batch : {std::size_t{0}, std::size_t{1} << 15, std::size_t{1} << 20}) {
        const product_forecast all = forecast(m.index, {.systems = 2, .batch_bytes = batch});
        for (const char* engine : {"posix", "uring", "mmap", "queue"}) {
            if (!is_here(engine, m.path)) continue;
            for (const double part : {0.0, 0.3, 0.7, 1.0})
                for (const int team : {1, 3}) {
                    cpu::set_threads(team);
                    product_options how = by(engine);
                    how.systems = 2;
                    how.batch_bytes = batch;
                    how.fast_memory =
                        all.least + static_cast<std::size_t>(
                                        part * static_cast<double>(all.memory - all.least));
                    matrix_product a(m.path, m.index, how);
                    EXPECT_EQ(a.ahead().whole, part == 1.0);
                    std::vector<double> y(x.size());
                    for (int n = 0; n < 3; ++n) {
                        a.apply(y.data(), x.data(), 2);
                        results.insert(y);
                        ++runs;
                    }
                }
        }
    }
    cpu::set_threads(threads);
    EXPECT_GE(runs, 3u * 3 * 4 * 2);
    EXPECT_EQ(results.size(), 1u);
}

/// On the GPU, from its memory or streamed by each engine that it has.
std::vector<double> gpu_product(const built& m, const std::vector<double>& x, std::size_t systems,
                                product_options how) {
    how.who = gpu_number(0);
    how.systems = systems;
    matrix_product a(m.path, m.index, how);
    const memory::buffer<double> from(memory::kind::managed, x.size());
    const memory::buffer<double> to(memory::kind::managed, x.size());
    std::copy(x.begin(), x.end(), from.data());
    for (int n = 0; n < 2; ++n) a.apply(to.data(), from.data(), systems);
    device::synchronize(nullptr);
    return {to.data(), to.data() + x.size()};
}

TEST(product, on_a_gpu_has_the_bits_of_the_cpu) {
    if (device::count() == 0) GTEST_SKIP() << device::absent_reason();
    for (const bool single : {false, true})
        for (const std::size_t batch : {std::size_t{0}, std::size_t{1} << 17}) {
            const built m("bumpy:8", {.single = single});
            for (const std::size_t systems : {1, 2, 7, 8}) {
                const std::vector<double> x = random_vector(m.size() * systems);
                const std::vector<double> expected = product(m, x, systems);
                for (const char* engine : {"posix", "uring", "gpu"})
                    for (const bool whole : {true, false}) {
                        product_options how = by(engine);
                        how.who = gpu_number(0);
                        how.systems = systems;
                        how.batch_bytes = batch;
                        how.fast_memory = whole ? 0 : forecast(m.index, how).least;
                        EXPECT_EQ(gpu_product(m, x, systems, how), expected)
                            << engine << " " << systems << " batch " << batch;
                    }
            }
        }
}

TEST(product, reads_what_its_forecast_says) {
    const built m("bumpy:6");
    const product_forecast all = forecast(m.index, {.batch_bytes = 1 << 15});
    std::uint64_t size = 0;  // of the batches, which share some pages
    for (const batch& one : all.batches) size += one.bytes;
    EXPECT_GE(size, m.index.data_bytes());
    EXPECT_LE(size, m.index.data_bytes() + all.batches.size() * page_bytes);
    const std::vector<double> x = random_vector(m.size());
    std::vector<double> y(m.size());
    for (const double part : {0.0, 0.25, 0.5, 0.75}) {
        const auto more =
            static_cast<std::size_t>(part * static_cast<double>(all.memory - all.least));
        product_options how = by("posix");
        how.batch_bytes = 1 << 15;
        how.fast_memory = all.least + more;
        std::uint64_t read = 0, ahead = 0;
        {
            matrix_product a(m.path, m.index, how);
            EXPECT_FALSE(a.ahead().whole);
            EXPECT_LE(a.ahead().memory, how.fast_memory);
            EXPECT_NEAR(static_cast<double>(a.ahead().resident),
                        part * static_cast<double>(all.memory - all.least), 2 << 15);
            for (int n = 0; n < 4; ++n) a.apply(y.data(), x.data(), 1);
            read = a.bytes_read();
            ahead = size + 3 * a.ahead().read;
        }
        EXPECT_GE(read, ahead);
        EXPECT_LE(read, ahead + (how.ahead + 2) * (1 << 15));  // that are read ahead
    }
    product_options none = by("posix");
    matrix_product a(m.path, m.index, none);
    for (int n = 0; n < 4; ++n) a.apply(y.data(), x.data(), 1);
    EXPECT_EQ(a.bytes_read(), m.index.data_bytes());
}

TEST(product, refuses_a_budget_with_the_least_that_does) {
    const built m("bumpy:6");
    const std::uint64_t least = forecast(m.index, {}).least;
    product_options how;
    how.fast_memory = least - 1;
    try {
        forecast(m.index, how);
        FAIL();
    } catch (const usage_error& error) {
        EXPECT_NE(std::string(error.what()).find(std::to_string(least)), std::string::npos);
    }
    how.fast_memory = least;
    EXPECT_NO_THROW(matrix_product(m.path, m.index, how));
}

TEST(product, never_multiplies_by_damaged_batches) {
    for (const double part : {0.0, 0.5}) {
        const built m("bumpy:6");
        const product_forecast all = forecast(m.index, {.batch_bytes = 1 << 15});
        const auto size = static_cast<double>(m.index.data_bytes());
        {
            std::fstream file(m.path, std::ios::binary | std::ios::in | std::ios::out);
            file.seekp(static_cast<std::streamoff>(page_bytes + 64 + part * size));
            file.put('\x55');
        }
        const std::vector<double> x = random_vector(m.size());
        EXPECT_THROW(product(m, x, 1, by("posix")), file_error);
        product_options how = by("posix");
        how.batch_bytes = 1 << 15;
        how.fast_memory = all.least;
        EXPECT_THROW(product(m, x, 1, how), file_error);
    }
}

TEST(product, never_goes_on_with_a_file_that_changed) {
    const built m("bumpy:6");
    product_options how = by("posix");
    how.batch_bytes = 1 << 15;
    how.fast_memory = forecast(m.index, how).least;
    const std::vector<double> x = random_vector(m.size());
    std::vector<double> y(m.size());
    const auto write = [&](char value) {
        std::fstream file(m.path, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(m.index.head.index_offset - 64));
        file.put(value);
    };
    {
        matrix_product a(m.path, m.index, how);
        a.apply(y.data(), x.data(), 1);
        write('\x55');
        EXPECT_THROW(a.apply(y.data(), x.data(), 1), file_error);
    }
    EXPECT_THROW(product(m, x, 1, how), file_error);  // it is damaged, and stays so
}

TEST(product, compares_what_it_reads_again_where_asked) {
    const built m("bumpy:6");
    std::ifstream file(m.path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    bytes.resize((bytes.size() + page_bytes - 1) / page_bytes * page_bytes);
    product_options how = by("queue");
    how.memory = std::as_writable_bytes(std::span(bytes));
    how.batch_bytes = 1 << 15;
    how.verify_always = true;
    how.fast_memory = forecast(m.index, how).least;
    const std::vector<double> x = random_vector(m.size());
    std::vector<double> y(m.size());
    matrix_product a(m.path, m.index, how);
    for (int n = 0; n < 2; ++n) a.apply(y.data(), x.data(), 1);
    bytes[m.index.head.index_offset - page_bytes + 8] ^= 1;
    const auto twice = [&] {  // one may have been read ahead
        for (int n = 0; n < 2; ++n) a.apply(y.data(), x.data(), 1);
    };
    EXPECT_THROW(twice(), file_error);
    EXPECT_THROW(a.apply(y.data(), x.data(), 1), file_error);  // from the middle of a round
}

/// A device that has a fault now and then, over the content of a file.
class product_faults : public ::testing::TestWithParam<const char*> {};

TEST_P(product_faults, end_in_the_right_bits_or_an_error) {
    const built m("bumpy:6");
    const std::vector<double> x = random_vector(m.size());
    const std::vector<double> expected = product(m, x, 1);
    std::ifstream file(m.path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    bytes.resize((bytes.size() + page_bytes - 1) / page_bytes * page_bytes);
    const bool is_late = std::string(GetParam()) == "late-data";
    std::size_t right = 0, refused = 0;
    for (const std::uint64_t seed : {1, 2, 3}) {
        product_options how = by("queue");
        how.behind = storage::make_faulty(
            storage::make_ram(std::as_writable_bytes(std::span(bytes))), GetParam(), seed);
        how.timeout = storage::faulty_timeout;
        how.verify_always = true;
        how.batch_bytes = 1 << 15;
        how.request = 4096;
        how.fast_memory = forecast(m.index, how).least;
        std::vector<double> y(m.size());
        try {
            matrix_product a(m.path, m.index, how);
            for (int n = 0; n < 4; ++n) {
                a.apply(y.data(), x.data(), 1);
                EXPECT_TRUE(y == expected) << GetParam() << " " << seed;
                ++right;
            }
        } catch (const error&) {
            ++refused;
        }
    }
    // data that come after their completion are found out; a lost command may be an error too
    EXPECT_TRUE(is_late ? refused > 0 : right > 0) << right << " right, " << refused << " refused";
}

INSTANTIATE_TEST_SUITE_P(of_a_device, product_faults,
                         ::testing::Values("reordered", "delayed", "duplicated", "dropped",
                                           "failed", "late-data", "bad-phase"));

TEST(product, by_one_more_system_than_asked_is_refused) {
    const built m("cube:2");
    matrix_product a(m.path, m.index, {});
    std::vector<double> x(2 * m.size()), y(x);
    EXPECT_THROW(a.apply(y.data(), x.data(), 2), usage_error);
}

TEST(jacobi, inverts_the_diagonal_blocks) {
    const built m("bumpy:4");
    const block_jacobi inverse(m.path, m.index, the_cpu);
    const std::size_t n = m.size();
    const std::vector<double> x = random_vector(2 * n);
    std::vector<double> b(2 * n), z(2 * n);
    const leaf_maker exact(m.of.panels, {.eps = 1e-11});
    for (const block& leaf : leaves_of(m.of.tree, 2)) {
        if (leaf.row != leaf.column || leaf.rows != leaf.columns) continue;
        for (std::size_t s = 0; s < 2; ++s)
            for (std::size_t i = leaf.row; i < leaf.row + leaf.rows; ++i)
                for (std::size_t j = leaf.row; j < leaf.row + leaf.rows; ++j)
                    b[s * n + i] += exact.entry(i, j) * x[s * n + j];
    }
    inverse.apply(z.data(), b.data(), 2, nullptr);
    EXPECT_LE(difference(z, x), 1e-5);
}

}  // namespace
}  // namespace watari::hmatrix
