// Products of matrices in files, by every engine that this machine has, against sums in double.
#include "errors.hpp"
#include "files/larger_units.hpp"
#include "gemm/product/product_files.hpp"
#include "size_limit.hpp"

#include <limits>
#include <set>

#include "watari/core/device.hpp"
#include "watari/core/error.hpp"
#include "watari/files/direct_unit.hpp"
#include "watari/files/disk.hpp"
#include "watari/files/uring/uring.hpp"
#include "watari/gemm/foresight.hpp"

namespace watari::gemm {
namespace {

class Files : public FileProduct, public ::testing::WithParamInterface<example> {};

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
    const auto reuse = schedule_kind::reuse, naive = schedule_kind::naive;
    std::vector<std::string> engines{"posix", "uring", "mmap", "queue"};
    if (device::count() > 0)
        engines.insert(engines.end(), {"gpu/posix", "gpu/uring", "gpu/mmap", "gpu/gpu"});
    for (const std::string& engine : engines) {
        all.insert(
            all.end(),
            {{engine, {256, 256, 256}, single, 0, 1, 0, 8, reuse},
             {engine, {256, 384, 128}, single, 4096, 1, 0, 5, naive},
             {engine, {300, 257, 391}, single, 128, 1, 0, 8, reuse},
             {engine, {300, 257, 391}, twice, 128, 2, 0.5, 12, reuse},
             {engine, {512, 640, 384}, single, 4096, -1.5, 1, 40, reuse},
             {engine, {130, 1000, 700}, single, 128, 1, -2, 9, reuse},
             {engine, {1000, 130, 700}, twice, 64, 1, 1, 17, reuse},
             {engine, {300, 1000, 700}, single, 4, 1, -2, 16, reuse, false},
             {engine, {700, 900, 600}, twice, 8, 2, 0, 20, reuse, false},
             // numpy.save's offset: neighbours are read together and share a sector in each row
             {engine, {512, 1024, 768}, single, 128, 1, 0, 24, reuse},
             {engine, {512, 1001, 999}, twice, 128, 1, 1, 24, reuse},
             {engine, {1, 1, 1}, single, 128, 3, 0, 5, reuse},
             {engine, {5, 700, 3}, twice, 128, 1, 0, 6, reuse},
             {engine, {200, 200, 0}, single, 128, 1, 3, 5, reuse},
             {engine, {200, 200, 200}, single, 128, 0, 0, 5, reuse},
             {engine, {200, 200, 200}, single, 128, 0, 2, 5, reuse}});
        for (const auto& [of_a, of_b] : {std::pair(true, false), {false, true}, {true, true}})
            for (const std::size_t slots : {8, 14, 40})
                for (example e : {example{engine, {300, 257, 391}, single, 128, 1, 0, slots, reuse},
                                  {engine, {384, 640, 512}, twice, 4096, -1, 0.5, slots, reuse}}) {
                    e.transpose_a = of_a;
                    e.transpose_b = of_b;
                    all.push_back(e);
                }
        all.insert(all.end(),
                   {{engine, {700, 900, 600}, twice, 8, 2, 0, 20, naive, false, true, true},
                    // rows of C longer than a request, in two groups of columns that both fit one
                    {engine, {256, 257 * tile, 8}, single, 4096, 1, 1, 800, reuse}});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Engine, Files, ::testing::ValuesIn(examples()));

/// Whether direct I/O on this path reaches a disk.
bool is_on_disk(const std::string& path) {
    return files::direct_unit_of(path) > 0 && files::disk_of(path);
}

/// Reads and writes do not overlap on one disk, if reads or writes alone keep it busy.
TEST_F(FileProduct, ReadsAndWritesTakeTurns) {
    std::vector<std::string> engines{"queue"};
    if (files::uring_absent_reason().empty()) engines.push_back("uring");
    if (device::count() > 0) engines.push_back("gpu/gpu");
    for (const std::string& engine : engines) {
        const example e{engine, {1024, 1024, 512},   precision::single_precision, 4096, 1, 1,
                        12,     schedule_kind::reuse};
        SCOPED_TRACE(::testing::Message() << e);
        const matrices m(e);
        if (!is_on_disk(m.a.where.path)) GTEST_SKIP() << m.a.where.path << " is on no disk";
        if (files::direct_unit_of(m.a.where.path) > tile * element_bytes(e.type))
            GTEST_SKIP() << "rows of C are written through the page cache: no whole units";
        EXPECT_EQ(multiply(m.job()).both_directions, 0u);
        EXPECT_LT(m.error(), 1);
    }
}

/// A plan made before C exists has the bytes that are moved, for any rows and units of direct I/O.
TEST_F(FileProduct, IsPlannedInTheUnitsOfItsDisk) {
    const files::larger_units pretended(4096);
    const auto single = precision::single_precision;
    for (const char* const engine : {"posix", "uring", "mmap", "queue"}) {
        const example examples[] = {
            {engine, {300, 257, 391}, single, 128, 1, 0, 9, schedule_kind::reuse},  // anywhere
            {engine, {256, 384, 640}, single, 512, 1, 1, 9, schedule_kind::reuse},  // whole sectors
            {engine, {128, 1024, 1024}, single, 4096, 1, 1, 9, schedule_kind::reuse}  // whole pages
        };
        for (const example& e : examples) {
            SCOPED_TRACE(::testing::Message() << e);
            const matrices m(e);
            file_product job = m.job();
            const bool direct = files::direct_unit_of(job.a.path) > 0 && e.engine != "mmap";
            EXPECT_EQ(slot_bytes(job) >= tile * 4096, direct);
            job.c.path += "-that-will-be";
            const foresight ahead = plan(job);
            job.c = m.c.where;
            const pipeline_counts counts = multiply(job);
            EXPECT_EQ(counts.read, ahead.read);
            EXPECT_EQ(counts.written, ahead.written);
            EXPECT_LT(m.error(), 1);
        }
    }
}

TEST_F(FileProduct, NamesTheAddressOfAFailedRead) {
    for (const char* engine : {"posix", "uring", "queue"}) {
        const matrices m({engine,
                          {300, 300, 300},
                          precision::single_precision,
                          4096,
                          1,
                          0,
                          8,
                          schedule_kind::reuse});
        file_product job = m.job();
        job.a.rows = 600;  // more than the file has
        job.c.rows = 600;
        SCOPED_TRACE(engine);
        expect_error<error>([&] { multiply(job); }, {" at "});
    }
}

/// A limit of file sizes stands for a full file system: no part of C behind its first MiB can be
/// written.
TEST_F(FileProduct, NamesTheAddressOfAFailedWrite) {
    for (const char* engine : {"posix", "uring", "queue"}) {
        SCOPED_TRACE(engine);
        const matrices m({engine,
                          {640, 1024, 128},
                          precision::single_precision,
                          4096,
                          1,
                          1,
                          8,
                          schedule_kind::reuse});
        const std::vector<double> before = m.old.values();
        file_product job = m.job();
        std::set<tile_of_c> reported;
        job.interval = 0;
        job.progress = noted_in(reported);
        {
            const size_limit limit(1 << 20);
            expect_error<error>([&] { multiply(job); }, {"write", " at "});
        }
        EXPECT_EQ(m.old.values(), before);
        for (const tile_of_c& tile : reported) EXPECT_LT(tile.first, 2u) << "reported as durable";
    }
}

TEST_F(FileProduct, RefusesShapesThatDoNotFit) {
    const matrices m({"posix",
                      {300, 300, 300},
                      precision::single_precision,
                      128,
                      1,
                      0,
                      8,
                      schedule_kind::reuse});
    file_product job = m.job();
    job.b.rows = 299;
    EXPECT_THROW(multiply(job), usage_error);
    EXPECT_THROW(plan(job), usage_error);
}

TEST_F(FileProduct, RefusesTooLittleFastMemory) {
    const matrices m({"posix",
                      {300, 300, 300},
                      precision::single_precision,
                      128,
                      1,
                      0,
                      8,
                      schedule_kind::reuse});
    file_product job = m.job();
    job.how.fast_memory = 2 * tile * tile * sizeof(float);
    EXPECT_THROW(multiply(job), usage_error);
}

}  // namespace
}  // namespace watari::gemm
