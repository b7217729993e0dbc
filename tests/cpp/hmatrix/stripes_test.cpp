// Matrices that are striped over several files: the bytes and the products of one file, a build
// that stops, a file that is missing, damaged or of another matrix.
#include "errors.hpp"
#include "hmatrix/products.hpp"
#include "watari/core/error.hpp"
#include "watari/files/partial/partial_file.hpp"
#include "watari/files/uring/uring.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace watari::hmatrix::striped {
namespace {

namespace fs = std::filesystem;

/// A matrix of some stripes, in one file and in several.
class Stripes : public ::testing::TestWithParam<std::size_t> {
protected:
    Stripes() {
        for (std::size_t i = 0; i < GetParam(); ++i)
            several_.all.push_back(folder_.path + "/part" + std::to_string(i));
    }

    /// The bytes of all files in turn.
    std::string together() const {
        std::vector<std::string> parts;
        for (const std::string& path : several_.all) parts.push_back(content(path));
        std::string all;
        for (std::size_t at = 0; at < parts[0].size(); at += stripe_bytes)
            for (const std::string& part : parts) all += part.substr(at, stripe_bytes);
        return all;
    }

    std::vector<double> product_of(const matrix_paths& paths, const char* engine,
                                   std::size_t batch) const {
        product_options how{.engine = engine, .batch_bytes = batch, .ahead = 2};
        const matrix_index index = read_index(paths);
        how.fast_memory = forecast(index, how).least;
        matrix_product a(paths, index, how);
        const std::vector<double> x = random_vector(of_.size());
        product(a, x);
        return product(a, x);
    }

    storage::directory folder_{};
    surface of_{shape("bumpy:8")};
    const std::string one_ = folder_.path + "/whole";
    matrix_paths several_{std::vector<std::string>{}};
};

TEST_P(Stripes, HaveTheBytesOfOneFile) {
    build(of_, one_, {});
    build(of_, several_, {});
    std::string whole = content(one_), striped = together();
    ASSERT_GT(whole.size(), 3 * stripe_bytes);
    EXPECT_EQ(striped.size() % (stripe_bytes * GetParam()), 0u);
    EXPECT_TRUE(striped.substr(whole.size()).find_first_not_of('\0') == std::string::npos);
    // the head says how many files there are
    EXPECT_TRUE(striped.substr(page_bytes, whole.size() - page_bytes) == whole.substr(page_bytes));
    EXPECT_EQ(read_index(several_).sums, read_index(one_).sums);
    for (const std::string& path : several_.all) {
        EXPECT_FALSE(fs::exists(files::partial_path(path)));
        EXPECT_FALSE(fs::exists(files::journal_path(path)));
    }
}

TEST_P(Stripes, GiveTheSameProductByEveryEngineAndBatch) {
    build(of_, one_, {});
    build(of_, several_, {});
    const std::vector<double> expected = product_of(one_, "posix", 1 << 15);
    for (const char* engine : {"posix", "uring", "mmap", "queue"}) {
        if (engine == std::string("uring") && !files::uring_absent_reason().empty()) continue;
        for (const std::size_t batch : {std::size_t{1}, std::size_t{1} << 15, std::size_t{3} << 20})
            EXPECT_EQ(product_of(several_, engine, batch), expected) << engine << " " << batch;
    }
}

TEST_P(Stripes, AreResumedAfterAStop) {
    const build_options how{.chunk_bytes = std::size_t{1} << 18};
    build(of_, one_, how);
    ASSERT_TRUE(build(of_, several_, how, stop_at(12)).stopped);
    for (const std::string& path : several_.all) {
        EXPECT_FALSE(fs::exists(path));
        EXPECT_TRUE(fs::exists(files::partial_path(path)));
    }
    EXPECT_GT(build(of_, several_, how).resumed, 0u);
    EXPECT_TRUE(together().substr(page_bytes, content(one_).size() - page_bytes) ==
                content(one_).substr(page_bytes));
}

/// A kill after the first rename of the last step: no file has the first name, so that nothing
/// passes for a whole matrix, and the next build makes it.
TEST_P(Stripes, AreAbsentUntilTheLastFileHasItsName) {
    const build_options how{.chunk_bytes = std::size_t{1} << 18};
    ASSERT_TRUE(build(of_, several_, how, stop_at(12)).stopped);
    const std::string last = several_.all.back();
    fs::rename(files::partial_path(last), last);
    EXPECT_THROW(read_index(several_), error);
    build(of_, several_, how);
    build(of_, one_, how);
    EXPECT_EQ(product_of(several_, "posix", 1 << 15), product_of(one_, "posix", 1 << 15));
}

TEST_P(Stripes, GetTheFirstNameLast) {
    fs::create_directory(several_.all.back());  // nothing can be renamed to it
    EXPECT_THROW(build(of_, several_, {}), file_error);
    EXPECT_FALSE(fs::exists(several_.all.front()));
    fs::remove(several_.all.back());
    build(of_, several_, {});
    EXPECT_NO_THROW(read_index(several_));
}

TEST_P(Stripes, AreRefusedWithoutOneOfTheFiles) {
    build(of_, several_, {});
    const std::string last = several_.all.back();
    fs::rename(last, last + ".away");
    expect_error<error>([&] { read_index(several_); }, {last});
    matrix_paths fewer = several_;
    fewer.all.pop_back();
    expect_error<file_error>([&] { read_index(fewer); },
                             {"is striped over " + std::to_string(GetParam()) + " files, not " +
                              std::to_string(GetParam() - 1)});
}

TEST_P(Stripes, AreRefusedWithAFileThatIsDamagedOrInAnotherPlace) {
    build(of_, several_, {});
    const matrix_index index = read_index(several_);
    const std::string last = several_.all.back();
    overwrite(last, 100, "\x55\x54");
    EXPECT_THROW(product_of(several_, "posix", 1 << 15), file_error);
    std::swap(several_.all.front(), several_.all.back());
    EXPECT_THROW(read_index(several_), file_error);
    std::swap(several_.all.front(), several_.all.back());
    fs::resize_file(last, 4096);
    EXPECT_THROW(read_index(several_), file_error);
}

INSTANTIATE_TEST_SUITE_P(Files, Stripes, ::testing::Values(2, 3));

}  // namespace
}  // namespace watari::hmatrix::striped
