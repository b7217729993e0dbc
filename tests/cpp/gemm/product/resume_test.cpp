// Products that resume an earlier run: with a list of completed tiles, and with the reports of a
// stopped run.
#include "gemm/product/product_files.hpp"

#include <random>
#include <tuple>

namespace watari::gemm {
namespace {

/// A run leaves the tiles in `finished` unchanged, and reports all others.
TEST_F(FileProduct, GoesOnWhereARunEnded) {
    const example e{"posix", {384, 512, 256},     precision::single_precision, 4096, 1, 0,
                    12,      schedule_kind::reuse};
    const matrices m(e);
    file_product job = m.job();
    std::set<tile_of_c> reported;
    job.progress = noted_in(reported);
    multiply(job);
    EXPECT_LT(m.error(), 1);
    EXPECT_EQ(reported.size(), 3 * 4u);
    const std::vector<double> whole = m.c.values();

    const matrices again(e);
    job = again.job();
    for (std::size_t i = 0; i < 3; ++i) job.finished.push_back({i, 1});
    reported.clear();
    job.progress = noted_in(reported);
    multiply(job);
    EXPECT_EQ(reported.size(), 3 * 3u);
    const std::vector<double> values = again.c.values();
    for (std::size_t at = 0; at < values.size(); ++at) {
        if (at % 512 / tile == 1)
            EXPECT_TRUE(std::isnan(values[at]));
        else
            EXPECT_EQ(values[at], whole[at]);
    }
}

/// Any form of schedule, several threads that read, any tiles completed before. With k = 8 a tile
/// of B (8 rows) arrives long before the tile of A (128 rows) that was requested first and stays
/// for a row of blocks.
TEST_F(FileProduct, GoesOnWithAnyTilesDone) {
    std::mt19937 random(3);
    for (const std::size_t k : {8, 256, 640})
        for (const std::size_t slots : {5, 9, 14, 40}) {
            const example e{"posix", {500, 640, k}, precision::single_precision, 4096, 1,
                            0,       slots,         schedule_kind::reuse};
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
            const std::vector<double> values = m.c.values();
            for (std::size_t at = 0; at < values.size(); ++at) {
                const bool before = done.count({at / 640 / tile, at % 640 / tile});
                if (before && std::isnan(values[at])) continue;
                ASSERT_EQ(values[at], expected[at]) << e;
            }
        }
}

/// Returns the schedule of this example's product if reads may begin at any byte.
schedule schedule_of(const example& e) {
    const auto placement_of = [&](matrix which) {
        return placement::rows_at(tiling_of(which, e.size, tile), element_bytes(e.type), e.offset,
                                  1);
    };
    const placement a = placement_of(matrix::a), b = placement_of(matrix::b),
                    c = placement_of(matrix::c);
    options p;
    p.engine = e.engine;
    return schedule({.size = e.size,
                     .tile = tile,
                     .beta_is_zero = e.beta == 0,
                     .fast_bytes = e.slots * slot_of(e.type),
                     .slot_bytes = slot_bytes({a, b, c}),
                     .which = e.schedule,
                     .tiles_per_request = tiles_per_request_of(p, a, b, c)});
}

/// Computes an example twice, the second time with random tiles completed before. Expects the same
/// sums, and no write to a tile that was not computed.
void expect_same_without_some(const example& e, std::mt19937& random) {
    SCOPED_TRACE(::testing::Message() << e);
    const matrices all(e);
    multiply(all.job());
    ASSERT_LT(all.error(), 1);
    const std::vector<double> expected = all.c.values();
    const matrices rest(e);
    file_product job = rest.job();
    job.how.threads = random() % 3 + 1;
    std::set<tile_of_c> done, reported;
    for (std::size_t r = 0; r * tile < e.size.m; ++r)
        for (std::size_t c = 0; c * tile < e.size.n; ++c)
            if (random() % 2 == 0) done.insert({r, c});
    job.finished.assign(done.begin(), done.end());
    job.progress = noted_in(reported);
    multiply(job);
    const std::vector<double> values = rest.c.values();
    for (std::size_t at = 0; at < values.size(); ++at) {
        const tile_of_c here{at / e.size.n / tile, at % e.size.n / tile};
        if (reported.count(here) == 0) {
            ASSERT_TRUE(done.count(here) && std::isnan(values[at]));
        } else {
            ASSERT_EQ(values[at], expected[at]);
        }
    }
}

/// Neighbouring tiles that are read or written together, of each matrix in every form, with
/// narrower tiles at the edges.
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
                        .schedule = schedule_kind::reuse,
                        .direct = whole};
        const schedule plan = schedule_of(e);
        const std::size_t before = several.size();
        for (const matrix which : {matrix::a, matrix::b, matrix::c})
            if (plan.most_tiles_per_request(which) > 1)
                several.insert({plan.form(), which, reads_c});
        if (several.size() == before && i >= 12) continue;
        expect_same_without_some(e, random);
        if (HasFatalFailure()) return;
    }
    EXPECT_EQ(several.size(), 3u * 3 * 2);
}

/// Returns the tiles of C that are complete after the first `columns` columns of products.
std::set<tile_of_c> done_after(std::size_t columns, const gemm::schedule& schedule) {
    std::set<tile_of_c> done;
    for (std::size_t s = 0; s < schedule.steps(); ++s) {
        const step at = schedule.step(s);
        for (std::size_t c = 0; c < at.columns; ++c) {
            if (columns-- == 0) return done;
            for (std::size_t r = 0; at.last && r < at.rows; ++r)
                done.insert({at.row + r, at.column + c});
        }
    }
    return done;
}

/// A run that stops before any of its products, anywhere in a step or a group of columns, writes
/// and reports all completed tiles. The next run resumes there.
TEST_F(FileProduct, ThatIsStoppedWritesWhatIsDone) {
    const auto single = precision::single_precision;
    const example examples[] = {
        {"posix", {300, 500, 100}, single, 4, 1, 0, 40, schedule_kind::reuse, false},  // one step
        {"uring", {256, 512, 256}, single, 4096, 1, 0, 11, schedule_kind::reuse, false},
        {"posix", {300, 500, 200}, single, 4, 1, 0.5, 5, schedule_kind::naive, false},
        {"queue", {256, 512, 256}, single, 4096, 1, 0.5, 12, schedule_kind::reuse, true},  // in
                                                                                           // turn
    };
    for (const example& e : examples) {
        SCOPED_TRACE(::testing::Message() << e);
        const matrices whole(e);
        multiply(whole.job());
        const std::vector<double> expected = whole.c.values();
        bool stopped = true;
        for (std::size_t products = 0; stopped; ++products) {
            const matrices m(e);
            file_product job = m.job();
            std::set<tile_of_c> reported;
            std::size_t calls = 0;
            job.interval = 0;
            job.progress = [&](const completed_tiles& tiles, double) {
                for (const auto& [at, checksum] : tiles) reported.insert(at);
                return calls++ < products;
            };
            stopped = multiply(job).stopped;
            if (!e.direct) {
                EXPECT_EQ(reported, done_after(products, schedule_of(e))) << products;
            }
            job.finished.assign(reported.begin(), reported.end());
            job.progress = nullptr;
            multiply(job);
            ASSERT_EQ(m.c.values(), expected) << products;
        }
    }
}

/// Half a minute of small reads, stopped by the first report that names a tile.
TEST_F(FileProduct, ThatIsStoppedTellsWhatIsDurable) {
    const matrices m({"posix",
                      {2048, 2048, 2048},
                      precision::single_precision,
                      4096,
                      1,
                      0,
                      5,
                      schedule_kind::naive});
    file_product job = m.job();
    job.interval = 0.05;
    std::set<tile_of_c> reported;
    double done = 0;
    job.progress = [&](const completed_tiles& tiles, double part) {
        done = part;
        for (const auto& [at, checksum] : tiles) reported.insert(at);
        return reported.empty();
    };
    const pipeline_counts counts = multiply(job);
    EXPECT_TRUE(counts.stopped);
    EXPECT_LT(done, 1);
    EXPECT_FALSE(reported.empty());
    EXPECT_LT(reported.size(), 16 * 16u);
    const std::vector<double> values = m.c.values();
    for (std::size_t at = 0; at < values.size(); ++at)
        if (reported.count({at / 2048 / tile, at % 2048 / tile})) {
            ASSERT_FALSE(std::isnan(values[at]));
        }
}

}  // namespace
}  // namespace watari::gemm
