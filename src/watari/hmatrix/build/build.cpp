#include "watari/hmatrix/build/build.hpp"

#include "watari/core/error.hpp"
#include "watari/core/threads.hpp"
#include "watari/core/with_cuda.hpp"
#include "watari/hmatrix/build/leaf_chunks.hpp"
#include "watari/hmatrix/file/writer.hpp"
#include "watari/measure/clock.hpp"
#include "watari/measure/thread_team.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <memory>
#include <numeric>

namespace watari::hmatrix {

namespace {

constexpr double between_checkpoints = 1;  ///< seconds

void count(build_counts& counts, const made_leaf& leaf, const block& b) {
    counts.entries += leaf.entries;
    counts.went_on += leaf.went_on;
    counts.dense_instead += b.admissible && leaf.rank == dense;
    if (leaf.rank == dense) return;
    ++counts.low_rank;
    counts.highest_rank = std::max<std::size_t>(counts.highest_rank, leaf.rank);
}

/// A leaf's share of the error. Its square is proportional to rows + columns, the cost of one more
/// rank. So the matrix has the fewest bytes for its error.
class shares {
public:
    shares(const leaf_maker& maker, std::span<const block> leaves, double eps) {
        double edges = 0;
        for (const block& one : leaves)
            if (one.admissible) edges += edges_of(one);
        scale_ = eps * maker.norm() / std::sqrt(std::max(1.0, edges));
    }
    double of(const block& one) const { return scale_ * std::sqrt(edges_of(one)); }

private:
    static double edges_of(const block& one) {
        return static_cast<double>(one.rows) + static_cast<double>(one.columns);
    }
    double scale_;
};

/// Makes the first of `leaves`, in their order. Their data stay valid until the call after the
/// next.
using chunk_source = std::function<std::vector<made_leaf>(std::span<const block> leaves)>;

/// The number of leaves, from the first one on, with about `most` bytes.
std::size_t leaves_within(std::size_t most, std::span<const block> leaves) {
    std::size_t count = 0, bytes = 0;
    while (count < leaves.size() && (count == 0 || bytes < most))
        bytes += expected_bytes(leaves[count++]);
    return count;
}

/// Makes leaves by all threads of the CPU, the largest first, so that no thread is left alone with
/// it at the end. A chunk grows with the threads, so that it takes them longer than its largest
/// leaf.
chunk_source by_threads(const leaf_maker& maker, const shares& share, const build_options& how) {
    constexpr std::size_t of_a_thread = std::size_t{1} << 23;
    const auto all = static_cast<std::size_t>(cpu::current_team().threads);
    const auto team = std::make_shared<measure::thread_team>(how.threads ? how.threads : all);
    const std::size_t usual = team->size() * of_a_thread;
    const std::size_t most = how.chunk_bytes ? std::min(how.chunk_bytes, usual) : usual;
    return [=, &maker, &share](std::span<const block> leaves) {
        const std::size_t count = leaves_within(most, leaves);
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::greater(),
                                 [&](std::size_t i) { return expected_bytes(leaves[i]); });
        std::vector<made_leaf> made(count);
        std::atomic<std::size_t> next{0};
        team->run([&](std::size_t) {
            for (std::size_t n; (n = next.fetch_add(1)) < count;) {
                const block& leaf = leaves[order[n]];
                made[order[n]] = maker.make(leaf, share.of(leaf));
            }
        });
        return made;
    };
}

/// Makes leaves by a GPU. Throws unsupported, beyond_memory.
chunk_source by_gpu(const leaf_maker& maker, const shares& share, const build_options& how,
                    std::span<const block> missing) {
    device::use(how.who.number);
    leaf_kernels kernels{};
    if constexpr (with_cuda) kernels = gpu::hmatrix_leaves;
    const auto chunks = std::make_shared<leaf_chunks>(maker, how, missing, how.who, kernels);
    return [=, &share](std::span<const block> leaves) {
        return chunks->make(leaves, [&](const block& one) { return share.of(one); });
    };
}

/// Writes a chunk, by a thread of its own, while the next chunk is made.
class chunk_writer {
public:
    chunk_writer(matrix_writer& to, const leaf_maker& maker, std::span<const block> leaves,
                 row_range own)
        : to_(to), maker_(maker), leaves_(leaves), own_(own), synced_(measure::now()) {}

    /// Throws what writing the chunk before threw.
    void write(std::vector<made_leaf> made) {
        wait();
        writing_ = std::async(std::launch::async, [this, made = std::move(made)] {
            measure::unbind();
            append(made);
            if (measure::now() - synced_ < between_checkpoints) return;
            to_.checkpoint();
            synced_ = measure::now();
        });
    }
    void wait() {
        if (writing_.valid()) writing_.get();
    }

private:
    /// A leaf is made whole; only this rank's rows of it are written.
    void append(const std::vector<made_leaf>& made) {
        std::vector<made_leaf> cut;
        std::vector<leaf_data> all;
        cut.reserve(made.size());
        for (const made_leaf& leaf : made) {
            const block of = leaves_[to_.leaves() + all.size()], part = within(of, own_);
            const bool whole = part.rows == of.rows;
            if (!whole) cut.push_back(maker_.rows_of(leaf, of, part));
            all.push_back({leaf.rank, whole ? leaf.data.data() : cut.back().data.data()});
        }
        to_.append(all);
    }

    matrix_writer& to_;
    const leaf_maker& maker_;
    std::span<const block> leaves_;
    row_range own_;
    double synced_;
    std::future<void> writing_{};  // the last member: its destructor waits for the thread
};

row_range rows_of(const surface& of, const build_options& how) {
    if (how.rows.count == 0) return {0, static_cast<std::uint32_t>(of.size())};
    if (how.rows.end() > of.size())
        throw usage_error("rows up to " + std::to_string(how.rows.end()) + " of a matrix of " +
                          std::to_string(of.size()));
    return how.rows;
}

}  // namespace

identity identity_of(const surface& of, const build_options& how) {
    const row_range own = rows_of(of, how);
    return {of.fingerprint(),     of.size(),      how.eps,   how.eta,
            how.single ? 4u : 8u, how.recompress, own.first, own.count};
}

build_counts build(const surface& of, const matrix_paths& paths, const build_options& how,
                   const std::function<bool(double part)>& progress) {
    const double start = measure::now();
    auto dividing = std::async(std::launch::async, [&] {
        measure::unbind();
        return leaves_of(of.tree, how.eta);
    });
    const leaf_maker maker(of.panels, how);
    const std::vector<block> all = dividing.get();
    const shares share(maker, all, how.eps);
    const row_range own = rows_of(of, how);
    const std::vector<block> leaves = touching(all, own), parts = within(leaves, own);
    matrix_writer writer(paths, identity_of(of, how), parts);
    build_counts counts{.leaves = leaves.size(), .resumed = writer.leaves()};
    const chunk_source make =
        how.who.is_gpu() ? by_gpu(maker, share, how, std::span(leaves).subspan(writer.leaves()))
                         : by_threads(maker, share, how);
    chunk_writer behind(writer, maker, leaves, own);
    const double entries = static_cast<double>(own.count) * static_cast<double>(of.size());
    double done = 0;
    counts.parts.preparing = measure::now() - start;
    std::size_t first = 0;
    for (; first < counts.resumed; ++first) done += static_cast<double>(parts[first].entries());
    while (first < leaves.size()) {
        if (progress && !progress(done / entries)) {
            counts.stopped = true;
            break;
        }
        const double asked = measure::now();
        std::vector<made_leaf> made = make(std::span(leaves).subspan(first));
        const double got = measure::now();
        counts.parts.making += got - asked;
        for (const made_leaf& leaf : made) {
            count(counts, leaf, leaves[first]);
            done += static_cast<double>(parts[first++].entries());
        }
        behind.write(std::move(made));
        counts.parts.writing += measure::now() - got;
    }
    const double written = measure::now();
    behind.wait();
    if (counts.stopped)
        writer.checkpoint();
    else
        writer.finish(of.tree.order());
    const double end = measure::now();
    counts.parts.finishing = end - written;
    counts.seconds = end - start;
    counts.file_bytes = writer.bytes();
    if (progress && !counts.stopped) progress(1);
    return counts;
}

}  // namespace watari::hmatrix
