#include "errors.hpp"
#include "hmatrix/products.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/storage/engines/engine.hpp"

#include <gtest/gtest.h>

#include <set>

namespace watari::hmatrix {
namespace {

TEST(product, is_that_of_the_dense_matrix_within_eps) {
    for (const char* name : {"cube:8", "icosphere:8", "spheres:6", "bumpy:8", "scan:8"}) {
        std::vector<double> x, dense;
        for (const double eps : {1e-3, 1e-6, 1e-9}) {
            const built m(name, {.eps = eps});
            if (dense.empty()) {
                x = random_vector(m.size());
                dense = dense_product(m.of, x, 1);
            }
            EXPECT_LE(difference(product(m, x, 1), dense), eps) << name;
        }
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

TEST(product, that_pins_nothing_reads_all_and_has_the_same_bits) {
    const built m("bumpy:6");
    const std::vector<double> x = random_vector(m.size());
    product_options how = by("posix");
    how.batch_bytes = 1 << 15;
    const std::vector<double> expected = product(m, x, 1, how);
    how.pinned = false;
    const product_forecast none = forecast(m.index, how);
    EXPECT_FALSE(none.whole);
    EXPECT_EQ(none.resident, 0u);
    EXPECT_EQ(none.memory, none.least);
    how.fast_memory = 2 * forecast(m.index, {.batch_bytes = 1 << 15}).memory;  // all would fit
    matrix_product a(m.path, m.index, how);
    EXPECT_EQ(a.ahead().resident, 0u);
    for (std::uint64_t n = 1; n <= 3; ++n) {
        EXPECT_EQ(product(a, x), expected);
        EXPECT_GE(a.bytes_read(), n * none.read);
    }
}

bool is_here(const std::string& engine, const std::string& path) {
    try {
        storage::require_engine(
            {.engine = engine,
             .who = the_cpu,
             .files = {.paths = {path}, .cache = files::cache_state::cold, .padded = true}});
        return true;
    } catch (const unsupported&) {
        return false;
    }
}

TEST(product, has_the_same_bits_whatever_budget_batch_engine_and_threads) {
    std::set<std::vector<double>> results;
    std::size_t runs = 0;
    const int threads = cpu::current_team().threads;
    const built m("bumpy:4");
    const std::vector<double> x = random_vector(m.size() * 2);
    for (const std::size_t batch : {std::size_t{0}, std::size_t{1} << 13, std::size_t{1} << 18}) {
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
                    for (int n = 0; n < 3; ++n, ++runs) results.insert(product(a, x, 2));
                }
        }
    }
    cpu::set_threads(threads);
    EXPECT_GE(runs, 3u * 3 * 4 * 2);
    EXPECT_EQ(results.size(), 1u);
}

/// A product on the GPU, from its memory or streamed by an engine.
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
                        product_options how{.who = gpu_number(0),
                                            .systems = systems,
                                            .engine = engine,
                                            .batch_bytes = batch,
                                            .direct = false};
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
    std::uint64_t size = 0;  // bytes of the batches, which share some pages
    for (const batch& one : all.batches) size += one.bytes;
    EXPECT_GE(size, m.index.data_bytes());
    EXPECT_LE(size, m.index.data_bytes() + all.batches.size() * page_bytes);
    const std::vector<double> x = random_vector(m.size());
    for (const double part : {0.0, 0.25, 0.5, 0.75}) {
        const auto more =
            static_cast<std::size_t>(part * static_cast<double>(all.memory - all.least));
        const product_options how{.fast_memory = all.least + more,
                                  .engine = "posix",
                                  .batch_bytes = 1 << 15,
                                  .direct = false};
        std::uint64_t read = 0, ahead = 0;
        {
            matrix_product a(m.path, m.index, how);
            EXPECT_FALSE(a.ahead().whole);
            EXPECT_LE(a.ahead().memory, how.fast_memory);
            EXPECT_NEAR(static_cast<double>(a.ahead().resident),
                        part * static_cast<double>(all.memory - all.least), 2 << 15);
            for (int n = 0; n < 4; ++n) product(a, x);
            read = a.bytes_read();
            ahead = size + 3 * a.ahead().read;
        }
        EXPECT_GE(read, ahead);
        EXPECT_LE(read, ahead + (how.ahead + 2) * (1 << 15));  // batches read ahead
    }
    matrix_product a(m.path, m.index, by("posix"));
    for (int n = 0; n < 4; ++n) product(a, x);
    EXPECT_EQ(a.bytes_read(), m.index.data_bytes());
}

TEST(product, refuses_a_budget_with_the_least_that_does) {
    const built m("bumpy:6");
    const std::uint64_t least = forecast(m.index, {}).least;
    product_options how{.fast_memory = least - 1};
    expect_error<usage_error>([&] { forecast(m.index, how); }, {std::to_string(least)});
    how.fast_memory = least;
    EXPECT_NO_THROW(matrix_product(m.path, m.index, how));
}

TEST(product, by_one_more_system_than_asked_is_refused) {
    const built m("cube:2");
    matrix_product a(m.path, m.index, {});
    EXPECT_THROW(product(a, std::vector<double>(2 * m.size()), 2), usage_error);
}

}  // namespace
}  // namespace watari::hmatrix
