// Products by each library, compared with double loops, and the library's description of itself.
#include "watari/blas/blas.hpp"
#include "processors.hpp"
#include "watari/blas/capabilities.hpp"
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/memory/buffer.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <regex>
#include <thread>
#include <vector>

namespace watari::blas {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Uses NumPy's library if WATARI_NUMPY_FOLDER names its folder: some machines have no other.
void name_numpy() {
    if (const char* folder = std::getenv("WATARI_NUMPY_FOLDER")) set_numpy_folder(folder);
}

std::unique_ptr<products> find(processor who, precision type, int threads = 1) {
    name_numpy();
    try {
        return make(who, type, threads, nullptr);
    } catch (const unsupported& error) {
        EXPECT_STRNE(error.what(), "");
        return nullptr;
    }
}

struct one_product {
    std::size_t m, n, k;
    double alpha, beta;
    bool transpose_a = false, transpose_b = false;
};

struct access_path {
    processor who;
    precision type;
};

class GemmBlas : public testing::TestWithParam<access_path> {
protected:
    void SetUp() override {
        used_ = find(GetParam().who, GetParam().type);
        if (!used_) GTEST_SKIP() << "no BLAS here";
    }

    template <class Element>
    void expect_right(const one_product& p) {
        const std::size_t lda = (p.transpose_a ? p.m : p.k) + 3;
        const std::size_t ldb = (p.transpose_b ? p.k : p.n) + 1, ldc = p.n + 2;
        const std::size_t in_a = (p.transpose_a ? p.k : p.m) * lda;
        const auto at_a = [&](std::size_t i, std::size_t l) {
            return p.transpose_a ? l * lda + i : i * lda + l;
        };
        const auto at_b = [&](std::size_t l, std::size_t j) {
            return p.transpose_b ? j * ldb + l : l * ldb + j;
        };
        std::mt19937 random(5);
        std::uniform_real_distribution<Element> values(-1, 1);
        const auto filled = [&](std::size_t count) {
            memory::buffer<Element> made(shared_kind(GetParam().who), count + 1);
            for (std::size_t i = 0; i < count; ++i) made.data()[i] = values(random);
            return made;
        };
        const auto a = filled(in_a), c = filled(p.m * ldc);
        const auto b = filled((p.transpose_b ? p.n : p.k) * ldb);
        if (p.beta == 0) std::fill_n(c.data(), p.m * ldc, static_cast<Element>(nan));
        if (p.alpha == 0) std::fill_n(a.data(), in_a, static_cast<Element>(nan));
        const std::vector<Element> before(c.data(), c.data() + p.m * ldc);
        used_->multiply(p.m, p.n, p.k, p.alpha, {a.data(), lda, p.transpose_a},
                        {b.data(), ldb, p.transpose_b}, p.beta, c.data(), ldc);
        if (GetParam().who.is_gpu()) device::synchronize(nullptr);
        const double bound = static_cast<double>(p.k + 4) * std::numeric_limits<Element>::epsilon();
        for (std::size_t i = 0; i < p.m; ++i)
            for (std::size_t j = 0; j < ldc; ++j) {
                const Element old = before[i * ldc + j], now = c.data()[i * ldc + j];
                if (j >= p.n) {  // between the rows
                    ASSERT_TRUE(now == old || (std::isnan(now) && std::isnan(old)));
                    continue;
                }
                double sum = 0;
                for (std::size_t l = 0; l < p.k && p.alpha != 0; ++l)
                    sum += static_cast<double>(a.data()[at_a(i, l)]) * b.data()[at_b(l, j)];
                const double right = p.alpha * sum + (p.beta == 0 ? 0 : p.beta * old);
                ASSERT_NEAR(now, right, bound * (std::abs(p.alpha) + std::abs(p.beta)))
                    << p.m << "x" << p.n << "x" << p.k << " at " << i << "," << j;
            }
    }

    std::unique_ptr<products> used_;
};

TEST_P(GemmBlas, AgreesWithDoubleLoops) {
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1, 1, 1},
                                  {1, 70, 3},
                                  {33, 1, 65},
                                  {7, 5, 1},
                                  {64, 64, 64},
                                  {130, 97, 201},
                                  {5, 6, 0},
                                  {0, 3, 3}})
        for (const double alpha : {0.0, 1.0, -1.5})
            for (const double beta : {0.0, 1.0, 0.75})
                for (const auto& [of_a, of_b] :
                     {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
                    const one_product p{m, n, k, alpha, beta, of_a, of_b};
                    if (GetParam().type == precision::single_precision)
                        expect_right<float>(p);
                    else
                        expect_right<double>(p);
                    if (HasFatalFailure()) return;
                }
}

TEST_P(GemmBlas, SaysItsNameAndVersion) {
    EXPECT_TRUE(std::regex_match(
        used_->name(),
        std::regex(GetParam().who.is_gpu() ? "cuBLAS \\d+\\.\\d+"
                                           : "OpenBLAS \\d+\\.\\d+[.\\d\\w]*, 1 thread")))
        << used_->name();
}

std::vector<access_path> paths() {
    std::vector<access_path> list;
    for (const processor who : processors())
        for (const precision type : {precision::single_precision, precision::double_precision})
            list.push_back({who, type});
    return list;
}

INSTANTIATE_TEST_SUITE_P(Libraries, GemmBlas, testing::ValuesIn(paths()), [](const auto& info) {
    return std::string(info.param.who.is_gpu() ? "gpu" : "cpu") +
           (info.param.type == precision::single_precision ? "_single" : "_double");
});

TEST(GemmBlasThreads, AreAsManyAsAskedForWhereverTheCallerIsBound) {
    std::thread([] {  // this thread is bound, as OpenMP binds a program's first thread
        cpu_set_t all, one;
        sched_getaffinity(0, sizeof all, &all);
        if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one CPU";
        std::size_t first = 0;
        while (!CPU_ISSET(first, &all)) ++first;
        CPU_ZERO(&one);
        CPU_SET(first, &one);
        sched_setaffinity(0, sizeof one, &one);
        const auto two = find(the_cpu, precision::double_precision, 2);
        if (!two) GTEST_SKIP() << "no BLAS here";
        EXPECT_NE(two->name().find(", 2 threads"), std::string::npos) << two->name();
    })
        .join();
}

TEST(GemmBlasCapabilities, SayWhatWasFoundOrWhyNot) {
    name_numpy();
    const auto found = capabilities();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].name, "openblas");
    EXPECT_EQ(found[1].name, "cublas");
    for (const auto& row : found) {
        EXPECT_EQ(row.available, row.reason.empty());
        EXPECT_EQ(row.available, !row.detail.empty());
    }
    EXPECT_EQ(found[0].available, find(the_cpu, precision::single_precision) != nullptr);
}

TEST(GemmBlasCapabilities, AMissingGpuIsTheReason) {
    if (device::count() > 0) GTEST_SKIP() << "there is a GPU";
    EXPECT_THROW(make(gpu_number(0), precision::single_precision, 1, nullptr), unsupported);
}

}  // namespace
}  // namespace watari::blas
