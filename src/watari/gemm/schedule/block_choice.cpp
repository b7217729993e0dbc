#include "watari/gemm/schedule/block_choice.hpp"

#include <map>
#include <optional>

namespace watari::gemm {

namespace {

/// Returns the least block size that needs no more blocks for `tiles` than the size `fits` does.
std::size_t evened(std::size_t tiles, std::size_t fits) {
    return divide_up(tiles, divide_up(tiles, std::min(tiles, fits)));
}

/// Columns of a block that suffice to hide its write-back: while some are written, others are
/// multiplied. The next block begins with the columns that were written first.
constexpr std::size_t hiding = 4;

/// Products per loaded tile of a step that hide its transfer over a link: a tile of 2048 takes
/// 0.34 ms to multiply and 0.3 to 0.5 ms to load (H200).
constexpr double intense = 2;

struct candidate : block_choice {
    double read;        ///< elements of A and B, or the cost of reading them
    std::size_t loads;  ///< loads and writes, as if all blocks had q columns

    bool better_than(const candidate& other) const {
        if (read != other.read) return read < other.read;
        const std::size_t own = std::min(q, hiding), others = std::min(other.q, hiding);
        if (own != others) return own > others;
        if (loads != other.loads) return loads < other.loads;
        if (sets_a != other.sets_a) return sets_a > other.sets_a;
        if (intensity() != other.intensity()) return intensity() > other.intensity();
        return slots < other.slots;
    }
    double intensity() const {
        return std::min(static_cast<double>(p * q) / static_cast<double>(p + q), intense);
    }
};

/// Returns all block sizes that no smaller one with as many blocks replaces.
std::vector<std::size_t> evened_sizes(std::size_t tiles) {
    std::vector<std::size_t> sizes;
    for (std::size_t blocks = tiles; blocks > 0; --blocks)
        if (const std::size_t size = divide_up(tiles, blocks);
            sizes.empty() || sizes.back() != size)
            sizes.push_back(size);
    return sizes;
}

/// Generates the candidates for a number of slots, and keeps the best one.
class candidates {
public:
    candidates(const schedule_request& wanted, std::size_t slots)
        : size_(wanted.size),
          mt_(divide_up(wanted.size.m, wanted.tile)),
          nt_(divide_up(wanted.size.n, wanted.tile)),
          kt_(divide_up(wanted.size.k, wanted.tile)),
          slots_(slots),
          wanted_(wanted.tiles_per_request),
          store_bound_(wanted.store_bound),
          request_(wanted) {}

    /// Tries every p of the form blocks. The bytes that a panel reads do not depend on the other
    /// edge of its blocks.
    block_choice best() {
        const std::size_t stay = resident(kt_);
        if (request_.cost_a) return cheapest(stay);
        for (std::size_t p = 1; p <= mt_ && 3 * p + 2 <= slots_; ++p) {
            if (p != evened(mt_, p)) continue;
            const std::size_t q = evened(nt_, (slots_ - 2 * p) / (p + 2));
            consider_streaming(form::blocks, p, q, p * q + 2 * q);
        }
        if (const std::size_t fits = (slots_ - 2) / (1 + stay)) {
            const std::size_t p = evened(mt_, fits), q = evened(nt_, fits);
            const std::size_t group = group_size(kt_, wanted_.a, least_groups);
            for (std::size_t most = 1; most <= nt_; ++most) {
                const std::size_t columns = evened(nt_, most);
                consider(form::panel_a, p, columns, p * columns + p * stay + 2 * columns, group, 2);
            }
            for (std::size_t most = 1; most <= mt_; ++most) {
                const std::size_t rows = evened(mt_, most);
                consider_streaming(form::panel_b, rows, q, rows * q + q * stay);
            }
        }
        return *found_;
    }

private:
    /// Tries every block: one with fewer tiles may have room for longer loads.
    block_choice cheapest(std::size_t stay) {
        const std::size_t group = group_size(kt_, wanted_.a, least_groups);
        for (const std::size_t p : evened_sizes(mt_))
            for (const std::size_t q : evened_sizes(nt_)) {
                consider_streaming(form::blocks, p, q, p * q + 2 * q);
                consider(form::panel_a, p, q, p * q + p * stay + 2 * q, group, 2);
                consider_streaming(form::panel_b, p, q, p * q + q * stay);
            }
        return *found_;
    }

    /// Elements, or the cost, of reading A once by loads of `group` tiles, or B in blocks of q.
    double once_a(std::size_t group) {
        const double elements = static_cast<double>(size_.m) * static_cast<double>(size_.k);
        if (!request_.cost_a) return elements;
        const auto [at, added] = cost_a_.try_emplace(group);
        if (added)
            at->second = request_.cost_a(runs_of(tiling_of(matrix::a, size_, request_.tile), group,
                                                 group, 1, request_.narrow_a));
        return at->second;
    }
    double once_b(std::size_t q) {
        const double elements = static_cast<double>(size_.k) * static_cast<double>(size_.n);
        if (!request_.cost_b) return elements;
        const auto [at, added] = cost_b_.try_emplace(q);
        if (added)
            at->second = request_.cost_b(runs_of(tiling_of(matrix::b, size_, request_.tile), q,
                                                 wanted_.b, 1, request_.narrow_b));
        return at->second;
    }

    /// Considers a form in which A streams. A load brings the wanted tile columns of A, or fewer
    /// if they do not fit.
    void consider_streaming(form which, std::size_t p, std::size_t q, std::size_t others) {
        const auto group_of = [&](std::size_t sets) -> std::size_t {
            const std::size_t fit = others < slots_ ? (slots_ - others) / (sets * p) : 0;
            return fit ? evened(kt_, std::min(fit, group_size(kt_, wanted_.a, 1))) : 0;
        };
        const std::size_t group = group_of(2), longer = group_of(1);
        if (group == 0) return;
        consider(which, p, q, others + 2 * p * group, group, 2);
        // not for panel_b: B stays, so that nothing is left to read while loads of A wait
        if (store_bound_ && which == form::blocks && longer > group)
            consider(which, p, q, others + p * longer, longer, 1);
    }

    void consider(form which, std::size_t p, std::size_t q, std::size_t needed, std::size_t group_a,
                  std::size_t sets_a) {
        if (needed > slots_) return;
        const std::size_t times_a = which == form::panel_a ? 1 : divide_up(nt_, q);
        const std::size_t times_b = which == form::panel_b ? 1 : divide_up(mt_, p);
        const double read = static_cast<double>(times_a) * once_a(group_a) +
                            static_cast<double>(times_b) * once_b(q);
        const auto of_tile_row = [&](std::size_t group) {
            return std::min(nt_, divide_up(nt_, q) * divide_up(q, group));
        };
        const std::size_t loads =
            times_a * mt_ * divide_up(kt_, group_a) +
            times_b * kt_ * of_tile_row(group_size(q, wanted_.b, 1)) +
            mt_ * of_tile_row(group_size(q, wanted_.c, least_of_c(store_bound_)));
        const candidate next{{which, p, q, needed, group_a, sets_a}, read, loads};
        if (!found_ || next.better_than(*found_)) found_ = next;
    }

    shape size_;
    std::size_t mt_, nt_, kt_, slots_;
    tiles_per_request wanted_;
    bool store_bound_;
    const schedule_request& request_;
    std::map<std::size_t, double> cost_a_, cost_b_;  ///< by group, and by q
    std::optional<candidate> found_;
};

}  // namespace

std::vector<run_of_tiles> groups_of(const tiling& of, run_of_tiles tiles, std::size_t wanted,
                                    std::size_t least, bool joins) {
    const bool narrow = !joins && of.columns_of(tiles.first + tiles.count - 1) < of.tile;
    const std::size_t full = tiles.count - narrow;
    std::vector<run_of_tiles> groups;
    const std::size_t size = full == 0 ? 1 : group_size(full, wanted, least);
    for (std::size_t at = 0; at < full; at += size)
        groups.push_back({at, std::min(size, full - at)});
    if (narrow) groups.push_back({full, 1});
    return groups;
}

std::vector<run_of_tiles> runs_of(const tiling& of, std::size_t at_once, std::size_t wanted,
                                  std::size_t least, bool joins) {
    std::vector<run_of_tiles> runs;
    const std::size_t columns = of.tile_columns();
    for (std::size_t first = 0; first < columns; first += at_once)
        for (const auto& [at, count] :
             groups_of(of, {first, std::min(at_once, columns - first)}, wanted, least, joins))
            runs.push_back({first + at, count});
    return runs;
}

block_choice choose_blocks(const schedule_request& wanted, std::size_t slots) {
    return candidates(wanted, slots).best();
}

}  // namespace watari::gemm
