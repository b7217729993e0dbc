#include "watari/hmatrix/build/leaf_chunks.hpp"

#include "watari/core/error.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace watari::hmatrix {

namespace {

/// Bytes of a chunk's leaves: many, since a chunk takes at least as long as its largest leaf.
constexpr std::uint64_t usual_chunk = std::uint64_t{512} << 20;
constexpr std::uint64_t work_of_chunk = 2;
constexpr std::uint64_t expected_crosses = 32;               ///< two slabs, before recompression
constexpr std::size_t most_of_chunk = std::size_t{1} << 17;  ///< leaves
constexpr std::uint64_t parts_of_chunk = 4, most_of_part = std::uint64_t{1} << 25;

std::uint64_t edges_of(const block& leaf) { return std::uint64_t{leaf.rows} + leaf.columns; }

std::uint64_t bytes_of(const leaf_result& made, const block& of, bool single) {
    const std::uint64_t elements =
        made.rank == dense ? of.entries() : std::uint64_t{made.rank} * edges_of(of);
    return (elements * (single ? 4 : 8) + leaf_unit - 1) / leaf_unit * leaf_unit;
}

/// Bytes of a part: the leaves of a chunk that the CPU has at once.
std::uint64_t part_for(std::span<const block> leaves, const build_options& how,
                       const pool_bytes& sizes) {
    std::uint64_t most = std::min(most_of_part, sizes.out / parts_of_chunk);
    for (const block& leaf : leaves) most = std::max(most, 2 * expected_pools(leaf, how).out);
    return std::min(most, sizes.out);
}

/// Sizes of the pools: for a chunk, or for all leaves if they take less, but at least for the
/// largest leaf.
pool_bytes sizes_for(std::span<const block> leaves, const build_options& how) {
    const std::uint64_t chunk =
        how.chunk_bytes ? std::min<std::uint64_t>(how.chunk_bytes, usual_chunk) : usual_chunk;
    pool_bytes all{0, 0}, largest{64, 64};
    for (const block& leaf : leaves) {
        const pool_bytes own = expected_pools(leaf, how);
        all.work += own.work;
        all.out += own.out;
        largest.work = std::max(largest.work, 2 * own.work);  // twice the expected rank
        largest.out = std::max(largest.out, 2 * own.out);
    }
    return {std::max(largest.work, std::min(all.work, work_of_chunk * chunk)),
            std::max(largest.out, std::min(all.out, chunk))};
}

bool is_of_a_block(const block& leaf) {
    return leaf.admissible && edges_of(leaf) > most_edges_of_a_warp;
}

}  // namespace

pool_bytes expected_pools(const block& leaf, const build_options& how) {
    const std::uint64_t unit = leaf_unit, element = how.single ? 4 : 8;
    const std::uint64_t out = (expected_bytes(leaf) / 8 * element + unit - 1) / unit * unit;
    if (!leaf.admissible) return {0, out};
    const std::uint64_t crosses =
        std::min<std::uint64_t>(expected_crosses, limits_of(leaf, how.recompress).crosses);
    const std::uint64_t slabs =
        crosses > expected_crosses / 2 ? expected_crosses : expected_crosses / 2;
    const std::uint64_t vectors = edges_of(leaf) * (slabs + 2);  // a row, a column, marks
    return {8 * (vectors + (how.recompress ? 4 * crosses * crosses + 2 * crosses + 1 : 0)), out};
}

leaf_chunks::leaf_chunks(const leaf_maker& maker, const build_options& how,
                         std::span<const block> leaves, processor who, const leaf_kernels& kernels)
    : how_(how),
      who_(who),
      kernels_(kernels),
      sizes_(sizes_for(leaves, how)),
      most_(std::clamp<std::size_t>(leaves.size(), 1, most_of_chunk)),
      panels_(memory::local_kind(who), maker.entries().panels().size(), {.device = who.number}),
      values_(memory::local_kind(who), maker.entries().values().size(), {.device = who.number}),
      work_(memory::local_kind(who), sizes_.work, {.device = who.number}),
      out_{memory::buffer<std::byte>(memory::local_kind(who), sizes_.out, {.device = who.number}),
           memory::buffer<std::byte>(memory::local_kind(who), sizes_.out, {.device = who.number})},
      tasks_(memory::local_kind(who), most_, {.device = who.number}),
      results_(memory::local_kind(who), most_, {.device = who.number}),
      moves_(memory::local_kind(who), most_, {.device = who.number}),
      taken_(memory::local_kind(who), 2, {.device = who.number}),
      part_(memory::local_kind(who), part_for(leaves, how, sizes_), {.device = who.number}) {
    if (who.is_gpu()) {
        making_.emplace();
        moving_.emplace(device::priority::urgent);  // its kernels do not wait for a whole chunk
    }
    const entry_table& entries = maker.entries();
    memory::copy(who_, panels_.data(), entries.panels().data(), entries.panels().size_bytes(),
                 making());
    memory::copy(who_, values_.data(), entries.values().data(), entries.values().size_bytes(),
                 making());
    view_.entries = {panel_arrays_in(values_.data(), panels_.size()), panels_.data(),
                     entries.from(0), entries.from(1), entries.from(2)};
    view_.tasks = tasks_.data();
    view_.results = results_.data();
    view_.work = {work_.data(), sizes_.work, taken_.data()};
    view_.recompress = how.recompress;
}

std::size_t leaf_chunks::fitting(std::span<const block> leaves) const {
    pool_bytes sum{0, 0};
    std::size_t count = 0;
    for (; count < std::min(leaves.size(), most_); ++count) {
        const pool_bytes own = expected_pools(leaves[count], how_);
        sum.work += own.work;
        sum.out += own.out;
        if (count > 0 && (sum.work > sizes_.work || sum.out > sizes_.out)) break;
    }
    return count;
}

std::vector<made_leaf> leaf_chunks::make(std::span<const block> leaves, const share_of& share) {
    if (given_ == made_.size()) take_next(leaves, share);
    std::vector<made_leaf> part = part_of(leaves);
    if (part.empty())
        throw beyond_memory("a leaf of " + std::to_string(leaves[0].rows) + " x " +
                                std::to_string(leaves[0].columns) + " on the GPU",
                            2 * (sizes_.work + sizes_.out), sizes_.work + sizes_.out,
                            "build on the CPU, or with a larger eps");
    return part;
}

leaf_chunks::task_list leaf_chunks::tasks_for(std::span<const block> leaves,
                                              const share_of& share) const {
    constexpr std::uint64_t of_a_block = std::uint64_t{1} << 63, low = ~std::uint32_t{0};
    std::vector<std::uint64_t> keys;  // the leaf to make first has the highest key
    for (const block& leaf : leaves)
        keys.push_back((is_of_a_block(leaf) ? of_a_block : 0) | edges_of(leaf) << 32 |
                       (low - keys.size()));
    std::ranges::sort(keys, std::greater());
    task_list list{leaves.size(), {}};
    for (const std::uint64_t key : keys) {
        const auto number = static_cast<std::uint32_t>(low - (key & low));
        const double own = leaves[number].admissible ? share(leaves[number]) : 0;
        list.tasks.push_back(
            {leaves[number], number, part_of_crosses(how_.recompress) * own, part_of_all * own});
    }
    return list;
}

/// Takes the results of the chunk that was launched before, and launches the chunk behind it. A
/// chunk whose first leaf found no room is launched again with half its leaves. The list of the
/// chunk behind is ready if all leaves were made: the CPU takes some milliseconds for it while the
/// GPU makes leaves.
void leaf_chunks::take_next(std::span<const block> leaves, const share_of& share) {
    const auto list = [&](std::span<const block> from) {
        return tasks_for(from.first(fitting(from)), share);
    };
    const auto begin = [&](task_list chunk, std::span<const block> from) {
        launch(std::move(chunk));
        next_ = list(from.subspan(waiting_.leaves));
    };
    if (waiting_.leaves == 0) {
        const std::size_t most = fitting(leaves);  // few: the CPU waits for the first ones
        begin(tasks_for(leaves.first((most + 3) / 4), share), leaves);
    }
    if (host_.empty()) host_.emplace_back(memory::host_kind(who_), part_.size());
    given_ = 0;
    for (made_ = results(); made_.empty() && waiting_.leaves > 1; made_ = results())
        launch(tasks_for(leaves.first(waiting_.leaves / 2), share)), next_ = {};
    if (made_.empty()) return;
    if (made_.size() < waiting_.leaves) next_ = {};
    waiting_ = {};
    std::swap(out_[0], out_[1]);
    const std::span<const block> behind = leaves.subspan(made_.size());
    if (!behind.empty()) begin(next_.leaves > 0 ? std::move(next_) : list(behind), behind);
}

void leaf_chunks::launch(task_list what) {
    waiting_ = std::move(what);
    view_.out = {out_[0].data(), sizes_.out, taken_.data() + 1};
    const std::uint64_t none = 0;
    memory::copy(who_, taken_.data() + 1, &none, sizeof none, making());
    run_waiting();
}

/// Makes the waiting leaves in one launch. The pool of crosses is emptied first: crosses are needed
/// only while their leaf is made.
void leaf_chunks::run_waiting() {
    const std::uint64_t none = 0;
    memory::copy(who_, taken_.data(), &none, sizeof none, making());
    const std::vector<leaf_task>& tasks = waiting_.tasks;
    const auto small = std::ranges::find_if_not(tasks, is_of_a_block, &leaf_task::of);
    view_.of_blocks = static_cast<std::uint32_t>(small - tasks.begin());
    view_.count = static_cast<std::uint32_t>(tasks.size());
    memory::copy(who_, tasks_.data(), tasks.data(), tasks.size() * sizeof(leaf_task), making());
    (how_.single ? kernels_.make_single : kernels_.make_double)(view_, making());
}

/// Waits for the chunk. Leaves without room for their crosses are made by one more launch each
/// time. Returns the results before the first leaf that is still unmade.
std::vector<leaf_result> leaf_chunks::results() {
    std::vector<leaf_task>& tasks = waiting_.tasks;
    std::vector<leaf_result> all(waiting_.leaves);
    for (;;) {
        std::uint64_t taken[2]{};
        memory::copy(who_, all.data(), results_.data(), all.size() * sizeof(leaf_result), making());
        memory::copy(who_, taken, taken_.data(), sizeof taken, making());
        memory::wait(who_, making());
        const std::size_t missing = tasks.size();
        std::erase_if(tasks, [&](const leaf_task& one) { return all[one.number].rank != unmade; });
        if (taken[1] > sizes_.out || tasks.empty() || tasks.size() == missing) break;
        run_waiting();
    }
    all.erase(std::ranges::find(all, unmade, &leaf_result::rank), all.end());
    return all;
}

/// The next leaves of the chunk, as many as the CPU's memory for a part holds. The other part may
/// still be on its way to the file.
std::vector<made_leaf> leaf_chunks::part_of(std::span<const block> leaves) {
    if (host_.size() == turn_) host_.emplace_back(memory::host_kind(who_), part_.size());
    const memory::buffer<std::byte>& host = host_[turn_];
    std::vector<leaf_move> moves;
    std::vector<made_leaf> part;
    std::uint64_t at = 0;
    for (; given_ < made_.size(); ++given_) {
        const leaf_result& one = made_[given_];
        const std::uint64_t bytes = bytes_of(one, leaves[part.size()], how_.single);
        if (at + bytes > host.size()) break;
        moves.push_back({one.offset, at, bytes});
        part.push_back({one.rank, {host.data() + at, bytes}, one.entries, one.went_on});
        at += bytes;
    }
    if (part.empty()) return part;
    turn_ ^= 1;
    memory::copy(who_, moves_.data(), moves.data(), moves.size() * sizeof(leaf_move), moving());
    kernels_.move(part_.data(), out_[1].data(), moves_.data(),
                  static_cast<std::uint32_t>(part.size()), moving());
    memory::copy(who_, host.data(), part_.data(), at, moving());
    memory::wait(who_, moving());
    return part;
}

}  // namespace watari::hmatrix
