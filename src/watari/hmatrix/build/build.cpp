#include "watari/hmatrix/build/build.hpp"

#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/hmatrix/file/writer.hpp"
#include "watari/measure/clock.hpp"
#include "watari/measure/thread_team.hpp"

#include <algorithm>
#include <atomic>

namespace watari::hmatrix {

namespace {

constexpr double between_checkpoints = 1;  ///< seconds
constexpr std::size_t expected_rank = 24;

/// Bytes that a leaf may take while it is made, about.
std::size_t expected_bytes(const block& b) {
    const std::size_t low = expected_rank * (std::size_t{b.rows} + b.columns);
    return 8 * (b.admissible ? std::min<std::size_t>(b.entries(), low) : b.entries());
}

void count(build_counts& counts, const made_leaf& leaf, const block& b) {
    counts.entries += leaf.entries;
    counts.went_on += leaf.went_on;
    counts.dense_instead += b.admissible && leaf.rank == dense;
    if (leaf.rank == dense) return;
    ++counts.low_rank;
    counts.highest_rank = std::max<std::size_t>(counts.highest_rank, leaf.rank);
}

/// Leaves [first, last), by all threads.
std::vector<made_leaf> make_chunk(const leaf_maker& maker, std::span<const block> leaves,
                                  measure::thread_team& team) {
    std::vector<made_leaf> made(leaves.size());
    std::atomic<std::size_t> next{0};
    team.run([&](std::size_t) {
        for (std::size_t i; (i = next.fetch_add(1)) < leaves.size();)
            made[i] = maker.make(leaves[i]);
    });
    return made;
}

}  // namespace

identity identity_of(const surface& of, const build_options& how) {
    return {
        of.fingerprint(),        of.size(), how.eps, how.eta, how.batch_bytes, how.single ? 4u : 8u,
        how.recompress ? 1u : 0u};
}

build_counts build(const surface& of, const std::string& path, const build_options& how,
                   const std::function<bool(double part)>& progress) {
    const double start = measure::now();
    const leaf_maker maker(of.panels, how);
    const std::vector<block> leaves = leaves_of(of.tree, how.eta);
    matrix_writer writer(path, identity_of(of, how), leaves);
    build_counts counts{.leaves = leaves.size(), .resumed = writer.leaves()};
    const auto threads = static_cast<std::size_t>(cpu::current_team().threads);
    measure::thread_team team(how.threads ? how.threads : threads);
    const double entries = static_cast<double>(of.size()) * static_cast<double>(of.size());
    double done = 0, synced = start;
    std::size_t first = 0;
    for (; first < counts.resumed; ++first) done += static_cast<double>(leaves[first].entries());
    while (first < leaves.size()) {
        if (progress && !progress(done / entries)) {
            counts.stopped = true;
            break;
        }
        std::size_t last = first, bytes = 0;
        while (last < leaves.size() && (last == first || bytes < how.chunk_bytes))
            bytes += expected_bytes(leaves[last++]);
        const auto chunk = std::span(leaves).subspan(first, last - first);
        for (const made_leaf& leaf : make_chunk(maker, chunk, team)) {
            count(counts, leaf, leaves[first]);
            done += static_cast<double>(leaves[first++].entries());
            writer.append(leaf.rank, leaf.data.data());
        }
        if (measure::now() - synced < between_checkpoints) continue;
        writer.checkpoint();
        synced = measure::now();
    }
    if (counts.stopped)
        writer.checkpoint();
    else
        writer.finish(of.tree.order());
    counts.seconds = measure::now() - start;
    counts.file_bytes = writer.bytes();
    if (progress && !counts.stopped) progress(1);
    return counts;
}

}  // namespace watari::hmatrix
