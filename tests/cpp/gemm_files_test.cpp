// Products of matrices in files, by every engine that this machine has, against sums in double.
#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/gemm/blas.hpp"
#include "watari/gemm/files.hpp"
#include "watari/gemm/gemm.hpp"
#include "watari/storage/uring.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <set>
#include <tuple>

namespace watari::gemm {
namespace {

constexpr std::size_t tile = 128;

/// Bytes of a tile in fast memory, with the sectors around rows that begin anywhere.
constexpr std::size_t slot_of(precision type) { return tile * (tile * element_bytes(type) + 512); }

std::vector<double> random_values(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> values(-1, 1);
    std::vector<double> result(count);
    for (double& each : result) each = values(engine);
    return result;
}

/// A matrix in a file of its own, `offset` bytes behind its beginning.
class file_of {
public:
    file_of(const std::string& name, std::size_t rows, std::size_t columns, std::size_t offset,
            precision type, const std::vector<double>& values)
        : type_(type) {
        const std::string folder = ::testing::TempDir() + "watari-gemm-" + std::to_string(getpid());
        std::filesystem::create_directories(folder);
        where = {folder + "/" + name, offset, rows, columns};
        std::ofstream out(where.path, std::ios::binary | std::ios::trunc);
        out << std::string(offset, 'h');
        for (const double each : values) {
            const auto single = static_cast<float>(each);
            if (type == precision::single_precision)
                out.write(reinterpret_cast<const char*>(&single), sizeof single);
            else
                out.write(reinterpret_cast<const char*>(&each), sizeof each);
        }
        out.close();
        // or direct I/O waits for the kernel to write these pages, whose time others take
        const int file = open(where.path.c_str(), O_RDONLY);
        fdatasync(file);
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        close(file);
    }
    ~file_of() {
        std::filesystem::remove(where.path);
        std::error_code others_are_there;
        std::filesystem::remove(std::filesystem::path(where.path).parent_path(), others_are_there);
    }

    std::vector<double> values() const {
        std::ifstream in(where.path, std::ios::binary);
        in.seekg(static_cast<std::streamoff>(where.offset));
        std::vector<double> result(where.rows * where.columns);
        for (double& each : result) {
            float single = 0;
            if (type_ == precision::single_precision) {
                in.read(reinterpret_cast<char*>(&single), sizeof single);
                each = single;
            } else {
                in.read(reinterpret_cast<char*>(&each), sizeof each);
            }
        }
        EXPECT_TRUE(in.good());
        return result;
    }

    matrix_file where;

private:
    precision type_;
};

struct example {
    std::string engine;  ///< `gpu/` before it: of a GPU
    shape size;
    precision type;
    std::size_t offset;  ///< of every matrix in its file
    double alpha, beta;
    std::size_t slots;  ///< of fast memory
    order schedule;
    bool direct = true;
};

std::ostream& operator<<(std::ostream& to, const example& e) {
    return to << e.engine << " " << e.size.m << "x" << e.size.n << "x" << e.size.k << " offset "
              << e.offset << " alpha " << e.alpha << " beta " << e.beta << " slots " << e.slots;
}

struct matrices {
    explicit matrices(const example& e)
        : e_(e),
          a_(random_values(e.size.m * e.size.k, 1)),
          b_(random_values(e.size.k * e.size.n, 2)),
          c_(random_values(e.size.m * e.size.n, 3)),
          a("a", e.size.m, e.size.k, e.offset, e.type, a_),
          b("b", e.size.k, e.size.n, e.offset, e.type, b_),
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
        p.how.fast_memory = e_.slots * slot_of(e_.type);
        p.how.alpha = e_.alpha;
        p.how.beta = e_.beta;
        p.how.threads = 2;
        p.direct = e_.direct;
        p.how.depth = p.how.engine == "posix" || p.how.engine == "mmap" ? 1 : 8;
        return p;
    }

    /// The largest error, in units of the tolerance.
    double error() const {
        const std::vector<double> found = c.values();
        const bool single = e_.type == precision::single_precision;
        const double epsilon = single ? 1.2e-7 : 2.3e-16;
        const auto rounded = [&](double v) { return single ? static_cast<float>(v) : v; };
        double worst = 0;
        for (std::size_t i = 0; i < e_.size.m; ++i)
            for (std::size_t j = 0; j < e_.size.n; ++j) {
                double sum = 0, absolute = 1e-30;
                for (std::size_t l = 0; l < e_.size.k; ++l) {
                    const double each =
                        rounded(a_[i * e_.size.k + l]) * rounded(b_[l * e_.size.n + j]);
                    sum += each;
                    absolute += std::abs(each);
                }
                const double before = e_.beta == 0 ? 0 : e_.beta * rounded(c_[i * e_.size.n + j]);
                const double expected = e_.alpha * sum + before;
                absolute = std::abs(e_.alpha) * absolute + std::abs(before);
                const double off = std::abs(found[i * e_.size.n + j] - expected);
                const double roundings = 4 + static_cast<double>(e_.size.k);
                worst = std::max(worst,
                                 std::isnan(off) ? 1e300 : off / (absolute * epsilon * roundings));
            }
        return worst;
    }

    example e_;
    std::vector<double> a_, b_, c_;
    file_of a, b, old, c;
};

/// Whether products can be computed here; NumPy's library where the environment names its folder.
bool can_multiply() {
    if (const char* folder = std::getenv("WATARI_NUMPY_FOLDER")) set_numpy_folder(folder);
    try {
        make_blas(the_cpu, precision::single_precision, 1, nullptr);
        return true;
    } catch (const unsupported&) {
        return false;
    }
}

class FileProduct : public ::testing::Test {
protected:
    void SetUp() override {
        if (!can_multiply()) GTEST_SKIP() << "no BLAS here";
    }
};

class Files : public ::testing::TestWithParam<example> {
protected:
    void SetUp() override {
        if (!can_multiply()) GTEST_SKIP() << "no BLAS here";
    }
};

TEST_P(Files, AreMultiplied) {
    const matrices m(GetParam());
    const pipeline_counts counts = multiply(m.job());
    EXPECT_LT(m.error(), 1);
    EXPECT_GE(counts.written,
              GetParam().size.m * GetParam().size.n * element_bytes(GetParam().type));
}

std::vector<example> examples() {
    std::vector<example> all;
    const auto single = precision::single_precision, twice = precision::double_precision;
    std::vector<std::string> engines{"posix", "uring", "mmap", "queue"};
    if (device::count() > 0)
        engines.insert(engines.end(), {"gpu/posix", "gpu/uring", "gpu/mmap", "gpu/gpu"});
    for (const std::string& engine : engines) {
        all.push_back({engine, {256, 256, 256}, single, 0, 1, 0, 8, order::reuse});
        all.push_back({engine, {256, 384, 128}, single, 4096, 1, 0, 5, order::naive});
        all.push_back({engine, {300, 257, 391}, single, 128, 1, 0, 8, order::reuse});
        all.push_back({engine, {300, 257, 391}, twice, 128, 2, 0.5, 12, order::reuse});
        all.push_back({engine, {512, 640, 384}, single, 4096, -1.5, 1, 40, order::reuse});
        all.push_back({engine, {130, 1000, 700}, single, 128, 1, -2, 9, order::reuse});
        all.push_back({engine, {1000, 130, 700}, twice, 64, 1, 1, 17, order::reuse});
        all.push_back({engine, {300, 1000, 700}, single, 4, 1, -2, 16, order::reuse, false});
        all.push_back({engine, {700, 900, 600}, twice, 8, 2, 0, 20, order::reuse, false});
        all.push_back({engine, {1, 1, 1}, single, 128, 3, 0, 5, order::reuse});
        all.push_back({engine, {5, 700, 3}, twice, 128, 1, 0, 6, order::reuse});
        all.push_back({engine, {200, 200, 0}, single, 128, 1, 3, 5, order::reuse});
        all.push_back({engine, {200, 200, 200}, single, 128, 0, 0, 5, order::reuse});
        all.push_back({engine, {200, 200, 200}, single, 128, 0, 2, 5, order::reuse});
        // rows of C longer than a request, in two groups of columns that both fit one
        all.push_back({engine, {256, 257 * tile, 8}, single, 4096, 1, 1, 800, order::reuse});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Engine, Files, ::testing::ValuesIn(examples()));

/// Whether direct I/O reaches a disk there.
bool is_on_disk(const std::string& path) {
    struct statfs system {};
    const int file = open(path.c_str(), O_RDONLY | O_DIRECT);
    if (file < 0) return false;
    const bool known = fstatfs(file, &system) == 0;
    close(file);
    return known && system.f_type != TMPFS_MAGIC;
}

/// Of one disk, by engines that either way alone keeps busy.
TEST_F(FileProduct, ReadsAndWritesTakeTurns) {
    std::vector<std::string> engines{"queue"};
    if (storage::uring_absent_reason().empty()) engines.push_back("uring");
    if (device::count() > 0) engines.push_back("gpu/gpu");
    for (const std::string& engine : engines) {
        const example e{engine, {1024, 1024, 512}, precision::single_precision, 4096, 1, 1,
                        12,     order::reuse};
        SCOPED_TRACE(::testing::Message() << e);
        const matrices m(e);
        if (!is_on_disk(m.a.where.path)) GTEST_SKIP() << m.a.where.path << " is on no disk";
        EXPECT_EQ(multiply(m.job()).both_ways, 0u);
        EXPECT_LT(m.error(), 1);
    }
}

/// Tiles in `finished` are left as they are, and what a run tells is all the others.
TEST_F(FileProduct, GoesOnWhereARunEnded) {
    const matrices m(
        {"posix", {384, 512, 256}, precision::single_precision, 4096, 1, 0, 12, order::reuse});
    file_product job = m.job();
    std::vector<tile_of_c> told;
    job.progress = [&](const std::vector<tile_of_c>& tiles, double) {
        told.insert(told.end(), tiles.begin(), tiles.end());
        return true;
    };
    multiply(job);
    EXPECT_LT(m.error(), 1);
    EXPECT_EQ(told.size(), 3 * 4u);
    const std::vector<double> whole = m.c.values();

    const matrices again(
        {"posix", {384, 512, 256}, precision::single_precision, 4096, 1, 0, 12, order::reuse});
    job = again.job();
    for (std::size_t i = 0; i < 3; ++i) job.finished.push_back({i, 1});
    told.clear();
    job.progress = [&](const std::vector<tile_of_c>& tiles, double) {
        told.insert(told.end(), tiles.begin(), tiles.end());
        return true;
    };
    multiply(job);
    EXPECT_EQ(told.size(), 3 * 3u);
    const std::vector<double> found = again.c.values();
    for (std::size_t at = 0; at < found.size(); ++at) {
        if (at % 512 / tile == 1)
            EXPECT_TRUE(std::isnan(found[at]));
        else
            EXPECT_EQ(found[at], whole[at]);
    }
}

/// Whatever form the schedule has, with several threads that read, and any tiles done before. With
/// k = 8 a tile of B, 8 rows, is there long before the tile of A, 128 rows, that stays for a row of
/// blocks and was asked for first.
TEST_F(FileProduct, GoesOnWithAnyTilesDone) {
    std::mt19937 random(3);
    for (const std::size_t k : {8, 256, 640})
        for (const std::size_t slots : {5, 9, 14, 40}) {
            const example e{"posix", {500, 640, k}, precision::single_precision, 4096, 1, 0,
                            slots,   order::reuse};
            const matrices whole(e);
            multiply(whole.job());
            EXPECT_LT(whole.error(), 1);
            const std::vector<double> expected = whole.c.values();
            const matrices m(e);
            file_product job = m.job();
            job.how.threads = 3;
            std::set<tile_of_c> done;
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t j = 0; j < 5; ++j)
                    if (random() % 3 != 0) done.insert({i, j});
            job.finished.assign(done.begin(), done.end());
            multiply(job);
            const std::vector<double> found = m.c.values();
            for (std::size_t at = 0; at < found.size(); ++at) {
                const bool before = done.count({at / 640 / tile, at % 640 / tile});
                if (before && std::isnan(found[at])) continue;
                ASSERT_EQ(found[at], expected[at]) << e;
            }
        }
}

/// The schedule that a product of this example has where rows of any bytes are read.
schedule schedule_of(const example& e) {
    const auto place = [&](matrix which) {
        return placement::rows_at(tiling_of(which, e.size, tile), element_bytes(e.type), e.offset,
                                  1);
    };
    const placement a = place(matrix::a), b = place(matrix::b), c = place(matrix::c);
    parameters p;
    p.engine = e.engine;
    return schedule({.size = e.size,
                     .tile = tile,
                     .beta_is_zero = e.beta == 0,
                     .fast_bytes = e.slots * slot_of(e.type),
                     .slot_bytes = slot_bytes({a, b, c}),
                     .together = together_of(p, a, b, c)});
}

/// Moves an example's tiles twice, the second time with any of them done before: the same sums, and
/// nothing is written that was not computed.
void expect_same_without_some(const example& e, std::mt19937& random) {
    SCOPED_TRACE(::testing::Message() << e);
    const matrices all(e);
    multiply(all.job());
    ASSERT_LT(all.error(), 1);
    const std::vector<double> expected = all.c.values();
    const matrices rest(e);  // in the same files
    file_product job = rest.job();
    job.how.threads = random() % 3 + 1;
    std::set<tile_of_c> done, told;
    for (std::size_t r = 0; r * tile < e.size.m; ++r)
        for (std::size_t c = 0; c * tile < e.size.n; ++c)
            if (random() % 2 == 0) done.insert({r, c});
    job.finished.assign(done.begin(), done.end());
    job.progress = [&](const std::vector<tile_of_c>& tiles, double) {
        told.insert(tiles.begin(), tiles.end());
        return true;
    };
    multiply(job);
    const std::vector<double> found = rest.c.values();
    for (std::size_t at = 0; at < found.size(); ++at) {
        const tile_of_c here{at / e.size.n / tile, at % e.size.n / tile};
        if (told.count(here) == 0) {
            ASSERT_TRUE(done.count(here) && std::isnan(found[at]));
        } else {
            ASSERT_EQ(found[at], expected[at]);
        }
    }
}

/// Neighbouring tiles that come and go together, of each matrix in every form, with narrower ones
/// at the edges.
TEST_F(FileProduct, MovesNeighboursTogether) {
    std::mt19937 random(5);
    const auto up_to = [&](std::size_t n) { return random() % n + 1; };
    std::set<std::tuple<form, matrix, bool>> several;
    const char* const engines[] = {"posix", "uring", "queue"};
    for (std::size_t i = 0; i < 1000 && several.size() < 3 * 3 * 2; ++i) {
        // a queue writes whole sectors
        const bool whole = i % 3 == 2, reads_c = i % 2 == 0;
        const auto side = [&] { return whole ? up_to(5) * tile : up_to(700); };
        const example e{.engine = engines[i % 3],
                        .size = {up_to(500), side(), side()},
                        .type = precision::single_precision,
                        .offset = whole ? 4096u : 4u,
                        .alpha = 1,
                        .beta = reads_c ? 0.5 : 0,
                        .slots = 3 + up_to(12),
                        .schedule = order::reuse,
                        .direct = whole};
        const schedule plan = schedule_of(e);
        const std::size_t before = several.size();
        for (const matrix which : {matrix::a, matrix::b, matrix::c})
            if (plan.most_together(which) > 1) several.insert({plan.form(), which, reads_c});
        if (several.size() == before && i >= 12) continue;
        expect_same_without_some(e, random);
        if (HasFatalFailure()) return;
    }
    EXPECT_EQ(several.size(), 3u * 3 * 2);
}

/// Half a minute of small reads, stopped when it first tells how far it is.
TEST_F(FileProduct, ThatIsStoppedTellsWhatIsDurable) {
    const matrices m(
        {"posix", {2048, 2048, 2048}, precision::single_precision, 4096, 1, 0, 5, order::naive});
    file_product job = m.job();
    std::set<tile_of_c> told;
    double done = 0;
    job.progress = [&](const std::vector<tile_of_c>& tiles, double part) {
        done = part;
        told.insert(tiles.begin(), tiles.end());
        return false;
    };
    const pipeline_counts counts = multiply(job);
    if (counts.seconds < 1) GTEST_SKIP() << "over before anybody was told how far it is";
    EXPECT_TRUE(counts.stopped);
    EXPECT_LT(done, 1);
    EXPECT_FALSE(told.empty());
    EXPECT_LT(told.size(), 16 * 16u);
    const std::vector<double> found = m.c.values();
    for (std::size_t at = 0; at < found.size(); ++at)
        if (told.count({at / 2048 / tile, at % 2048 / tile})) {
            ASSERT_FALSE(std::isnan(found[at]));
        }
}

TEST_F(FileProduct, NamesTheAddressOfAFailedRead) {
    for (const char* engine : {"posix", "uring", "queue"}) {
        const matrices m(
            {engine, {300, 300, 300}, precision::single_precision, 4096, 1, 0, 8, order::reuse});
        file_product job = m.job();
        job.a.rows = 600;  // more than the file has
        job.c.rows = 600;
        try {
            multiply(job);
            FAIL() << engine;
        } catch (const error& reason) {
            EXPECT_NE(std::string(reason.what()).find(" at "), std::string::npos) << reason.what();
        }
    }
}

TEST_F(FileProduct, RefusesShapesThatDoNotFit) {
    const matrices m(
        {"posix", {300, 300, 300}, precision::single_precision, 128, 1, 0, 8, order::reuse});
    file_product job = m.job();
    job.b.rows = 299;
    EXPECT_THROW(multiply(job), usage_error);
    EXPECT_THROW(plan(job), usage_error);
}

TEST_F(FileProduct, RefusesTooLittleFastMemory) {
    const matrices m(
        {"posix", {300, 300, 300}, precision::single_precision, 128, 1, 0, 8, order::reuse});
    file_product job = m.job();
    job.how.fast_memory = 2 * tile * tile * sizeof(float);
    EXPECT_THROW(multiply(job), usage_error);
}

}  // namespace
}  // namespace watari::gemm
