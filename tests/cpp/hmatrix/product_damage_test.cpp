// Products of a file that is damaged or changes, and of a device with faults.
#include "hmatrix/products.hpp"
#include "watari/core/error.hpp"
#include "watari/storage/backends/faulty.hpp"
#include "watari/storage/backends/ram.hpp"

#include <gtest/gtest.h>

namespace watari::hmatrix {
namespace {

/// The content of a file, with zeros up to the end of its last page.
std::string whole_pages(const std::string& path) {
    std::string bytes = content(path);
    bytes.resize((bytes.size() + page_bytes - 1) / page_bytes * page_bytes);
    return bytes;
}

TEST(product, never_multiplies_by_damaged_batches) {
    for (const double part : {0.0, 0.5}) {
        const built m("bumpy:6");
        const product_forecast all = forecast(m.index, {.batch_bytes = 1 << 15});
        const auto size = static_cast<double>(m.index.data_bytes());
        overwrite(m.path, page_bytes + 64 + static_cast<std::uint64_t>(part * size), "\x55");
        const std::vector<double> x = random_vector(m.size());
        EXPECT_THROW(product(m, x, 1, by("posix")), file_error);
        const product_options how{
            .fast_memory = all.least, .engine = "posix", .batch_bytes = 1 << 15, .direct = false};
        EXPECT_THROW(product(m, x, 1, how), file_error);
    }
}

TEST(product, never_goes_on_with_a_file_that_changed) {
    const built m("bumpy:6");
    product_options how{.engine = "posix", .batch_bytes = 1 << 15, .direct = false};
    how.fast_memory = forecast(m.index, how).least;
    const std::vector<double> x = random_vector(m.size());
    {
        matrix_product a(m.path, m.index, how);
        product(a, x);
        overwrite(m.path, m.index.head.index_offset - 64, "\x55");
        EXPECT_THROW(product(a, x), file_error);
    }
    EXPECT_THROW(product(m, x, 1, how), file_error);  // the damage stays in the file
}

TEST(product, compares_what_it_reads_again_where_asked) {
    const built m("bumpy:6");
    std::string bytes = whole_pages(m.path);
    product_options how{.engine = "queue",
                        .batch_bytes = 1 << 15,
                        .direct = false,
                        .verify_always = true,
                        .memory = std::as_writable_bytes(std::span(bytes))};
    how.fast_memory = forecast(m.index, how).least;
    const std::vector<double> x = random_vector(m.size());
    matrix_product a(m.path, m.index, how);
    const auto twice = [&] {  // the first product may use data read ahead
        for (int n = 0; n < 2; ++n) product(a, x);
    };
    twice();
    bytes[m.index.head.index_offset - page_bytes + 8] ^= 1;
    EXPECT_THROW(twice(), file_error);
    EXPECT_THROW(product(a, x), file_error);  // from the middle of a round
}

/// A device with random faults, over the content of a file.
class product_faults : public ::testing::TestWithParam<const char*> {};

TEST_P(product_faults, end_in_the_right_bits_or_an_error) {
    const built m("bumpy:6");
    const std::vector<double> x = random_vector(m.size());
    const std::vector<double> expected = product(m, x, 1);
    std::string bytes = whole_pages(m.path);
    const bool is_late = std::string(GetParam()) == "late-data";
    std::size_t right = 0, refused = 0;
    for (const std::uint64_t seed : {1, 2, 3}) {
        const auto ram = storage::make_ram(std::as_writable_bytes(std::span(bytes)));
        product_options how{.engine = "queue",
                            .batch_bytes = 1 << 15,
                            .request = 4096,
                            .direct = false,
                            .verify_always = true,
                            .behind = storage::make_faulty(ram, GetParam(), seed),
                            .timeout = storage::faulty_timeout};
        how.fast_memory = forecast(m.index, how).least;
        try {
            matrix_product a(m.path, m.index, how);
            for (int n = 0; n < 4; ++n, ++right)
                EXPECT_TRUE(product(a, x) == expected) << GetParam() << " " << seed;
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
