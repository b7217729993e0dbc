// Products of a file that is damaged or changes, and of a device with faults.
#include "hmatrix/products.hpp"
#include "watari/core/error.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/ram.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace watari::hmatrix {
namespace {

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
    EXPECT_THROW(product(m, x, 1, how), file_error);  // the damage stays in the file
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
    const auto twice = [&] {  // the first product may use data read ahead
        for (int n = 0; n < 2; ++n) a.apply(y.data(), x.data(), 1);
    };
    EXPECT_THROW(twice(), file_error);
    EXPECT_THROW(a.apply(y.data(), x.data(), 1), file_error);  // from the middle of a round
}

/// A device with random faults, over the content of a file.
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
    // late data are detected; a lost command may be an error too
    EXPECT_TRUE(is_late ? refused > 0 : right > 0) << right << " right, " << refused << " refused";
}

INSTANTIATE_TEST_SUITE_P(of_a_device, product_faults,
                         ::testing::Values("reordered", "delayed", "duplicated", "dropped",
                                           "failed", "late-data", "bad-phase"));

}  // namespace
}  // namespace watari::hmatrix
