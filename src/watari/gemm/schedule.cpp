#include "watari/gemm/schedule.hpp"

#include "watari/core/error.hpp"

#include <cmath>
#include <optional>
#include <string>

namespace watari::gemm {

namespace {

/// Slots of a tile row or column that stays: with a single tile along k, the next one comes while
/// this one is in use.
std::size_t resident(std::size_t kt) { return std::max<std::size_t>(kt, 2); }

/// The least size of blocks that makes as few of them out of `tiles` as the largest that fits.
std::size_t evened(std::size_t tiles, std::size_t fits) {
    return divide_up(tiles, divide_up(tiles, std::min(tiles, fits)));
}

/// Columns of a block that suffice for its write-back to be hidden: while some are written, others
/// are multiplied, and the next block begins with those that were written first.
constexpr std::size_t hiding = 4;

/// Products for each tile that a step brings, of which two hide its way over a link: a tile of 2048
/// takes 0.34 ms to multiply and 0.3 to 0.5 to come (H200).
constexpr double intense = 2;

/// Tiles of each group but the last, where `count` neighbours are moved in as few groups of at most
/// `wanted` as can be, `least` of them if there are as many tiles.
std::size_t group_size(std::size_t count, std::size_t wanted, std::size_t least) {
    return divide_up(count, std::clamp(divide_up(count, wanted), std::min(least, count), count));
}

/// Groups of A in a panel that stays, and of C in a block: see schedule.hpp.
constexpr std::size_t least_groups = 2;
constexpr std::size_t least_of_c(bool patient) { return patient ? 1 : least_groups; }

struct choice {
    gemm::form form;
    std::size_t p, q, slots;
    std::size_t group_a, sets_a;
    double read;        ///< elements of A and B
    std::size_t loads;  ///< and writes; as if all blocks had q columns

    bool better_than(const choice& other) const {
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

/// What there is to choose from.
class choices {
public:
    choices(const schedule_request& wanted, const tiling& c, std::size_t kt, std::size_t slots)
        : size_(wanted.size),
          mt_(c.tile_rows()),
          nt_(c.tile_columns()),
          kt_(kt),
          slots_(slots),
          wanted_(wanted.together),
          patient_(wanted.patient) {}

    /// The one that reads least; of those, one that hides its write-back, then one that makes few
    /// loads, then one that hides what it reads, and then one that needs least memory. What a panel
    /// reads does not depend on the other edge of its blocks; of blocks every p is tried.
    choice best() {
        const std::size_t stay = resident(kt_);
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
    /// Of A as many tile columns come together as are wanted and fit.
    void consider_streaming(form which, std::size_t p, std::size_t q, std::size_t others) {
        const auto group_of = [&](std::size_t sets) -> std::size_t {
            const std::size_t fit = others < slots_ ? (slots_ - others) / (sets * p) : 0;
            return fit ? evened(kt_, std::min(fit, group_size(kt_, wanted_.a, 1))) : 0;
        };
        const std::size_t group = group_of(2), longer = group_of(1);
        if (group == 0) return;
        consider(which, p, q, others + 2 * p * group, group, 2);
        // where B stays there would be nothing to read while they wait
        if (patient_ && which == form::blocks && longer > group)
            consider(which, p, q, others + p * longer, longer, 1);
    }

    void consider(form which, std::size_t p, std::size_t q, std::size_t needed, std::size_t group_a,
                  std::size_t sets_a) {
        if (needed > slots_) return;
        const std::size_t times_a = which == form::panel_a ? 1 : divide_up(nt_, q);
        const std::size_t times_b = which == form::panel_b ? 1 : divide_up(mt_, p);
        const double read = static_cast<double>(times_a) * static_cast<double>(size_.m) *
                                static_cast<double>(size_.k) +
                            static_cast<double>(times_b) * static_cast<double>(size_.k) *
                                static_cast<double>(size_.n);
        const auto of_tile_row = [&](std::size_t group) {
            return std::min(nt_, divide_up(nt_, q) * divide_up(q, group));
        };
        const std::size_t loads = times_a * mt_ * divide_up(kt_, group_a) +
                                  times_b * kt_ * of_tile_row(group_size(q, wanted_.b, 1)) +
                                  mt_ * of_tile_row(group_size(q, wanted_.c, least_of_c(patient_)));
        const choice next{which, p, q, needed, group_a, sets_a, read, loads};
        if (!found_ || next.better_than(*found_)) found_ = next;
    }

    shape size_;
    std::size_t mt_, nt_, kt_, slots_;
    together wanted_;
    bool patient_;
    std::optional<choice> found_;
};

}  // namespace

schedule::schedule(const schedule_request& wanted)
    : a_(tiling_of(matrix::a, wanted.size, wanted.tile)),
      b_(tiling_of(matrix::b, wanted.size, wanted.tile)),
      c_(tiling_of(matrix::c, wanted.size, wanted.tile)),
      multiplies_(!wanted.alpha_is_zero && wanted.size.k > 0),
      reads_c_(!wanted.beta_is_zero),
      together_(wanted.together),
      patient_(wanted.patient) {
    if (wanted.tile == 0 || wanted.slot_bytes == 0)
        throw usage_error("a matrix product needs tiles of at least one element");
    const std::size_t slots = wanted.fast_bytes / wanted.slot_bytes;
    const std::size_t least = multiplies_ ? 1 + 2 * 2 : 1;
    if (slots < least)
        throw usage_error("fast memory of " + bytes_text(wanted.fast_bytes) + " holds " +
                          std::to_string(slots) + " tiles of " + bytes_text(wanted.slot_bytes) +
                          "; a product needs " + std::to_string(least) + ", at least " +
                          bytes_text(least * wanted.slot_bytes) + ", or smaller tiles");
    const std::size_t mt = c_.tile_rows(), nt = c_.tile_columns();
    slots_ = least;
    if (mt > 0 && nt > 0 && wanted.which == order::reuse) {
        if (multiplies_) {
            const choice chosen = choices(wanted, c_, a_.tile_columns(), slots).best();
            form_ = chosen.form, p_ = chosen.p, q_ = chosen.q, slots_ = chosen.slots;
            group_a_ = chosen.group_a, sets_a_ = chosen.sets_a;
        } else {  // many at once, so that reading and writing overlap
            q_ = std::min(nt, slots), p_ = std::min(mt, slots / q_), slots_ = p_ * q_;
        }
    }
    block_rows_count_ = divide_up(mt, p_);
    block_columns_count_ = divide_up(nt, q_);
    depth_ = multiplies_ ? a_.tile_columns() : 1;
}

std::size_t schedule::times_a() const noexcept {
    return !multiplies_ ? 0 : form_ == form::panel_a ? 1 : block_columns_count_;
}

std::size_t schedule::times_b() const noexcept {
    return !multiplies_ ? 0 : form_ == form::panel_b ? 1 : block_rows_count_;
}

step schedule::step(std::size_t s) const {
    const std::size_t block = s / depth_, l = s % depth_;
    const bool down = form_ == form::panel_b;
    const std::size_t along = down ? block_rows_count_ : block_columns_count_;
    const std::size_t i = down ? block % along : block / along;
    const std::size_t j = down ? block / along : block % along;
    const std::size_t row = i * p_, column = j * q_;
    return {.number = s,
            .block = block,
            .row = row,
            .column = column,
            .rows = std::min(p_, c_.tile_rows() - row),
            .columns = std::min(q_, c_.tile_columns() - column),
            .l = l,
            .first = l == 0,
            .last = l + 1 == depth_,
            .loads_a = multiplies_ && (form_ != form::panel_a || j == 0) && l % group_a_ == 0
                           ? std::min(group_a_, depth_ - l)
                           : 0,
            .loads_b = multiplies_ && (form_ != form::panel_b || i == 0)};
}

std::size_t schedule::needs_done(const gemm::step& at, matrix which) const {
    const bool of_a = which == matrix::a, stays = form_ == (of_a ? form::panel_a : form::panel_b);
    const auto before = [](std::size_t step, std::size_t back) {
        return step - std::min(step, back);
    };
    if (stays && depth_ > 1) return before(at.number + (of_a ? at.loads_a : 1), depth_);
    if (stays || !of_a) return before(at.number, 1);
    if (sets_a_ == 1) return at.number;
    return before(at.number, at.l > 0 ? group_a_ : (depth_ - 1) % group_a_ + 1);  // a group back
}

std::size_t schedule::slot_of_a(const gemm::step& at, std::size_t r) const {
    const std::size_t first = p_ * q_;
    if (form_ != form::panel_a) {
        const std::size_t group = at.block * divide_up(depth_, group_a_) + at.l / group_a_;
        return first + (group % sets_a_ * group_a_ + at.l % group_a_) * p_ + r;
    }
    const std::size_t stay = resident(depth_);
    return first + (at.row / p_ * depth_ + at.l) % stay * p_ + r;
}

std::size_t schedule::slot_of_b(const gemm::step& at, std::size_t c) const {
    const std::size_t first =
        p_ * q_ + p_ * (form_ == form::panel_a ? resident(depth_) : sets_a_ * group_a_);
    if (form_ != form::panel_b) return first + at.number % 2 * q_ + c;
    const std::size_t stay = resident(depth_);
    return first + (at.column / q_ * depth_ + at.l) % stay * q_ + c;
}

std::vector<run_of_tiles> schedule::grouped(matrix which, std::size_t first,
                                            std::size_t count) const {
    const tiling& of = tiles_of(which);
    const bool narrow = of.columns_of(first + count - 1) < of.tile;  // a load of its own
    const std::size_t full = count - narrow;
    const std::size_t wanted = which == matrix::a   ? group_a_
                               : which == matrix::b ? together_.b
                                                    : together_.c;
    const std::size_t least = which == matrix::c ? least_of_c(patient_) : 1;
    std::vector<run_of_tiles> groups;
    const std::size_t size = full == 0 ? 1 : group_size(full, wanted, least);
    for (std::size_t at = 0; at < full; at += size)
        groups.push_back({at, std::min(size, full - at)});
    if (narrow) groups.push_back({full, 1});
    return groups;
}

std::vector<run_of_tiles> schedule::runs_of(matrix which) const {
    const std::size_t columns = tiles_of(which).tile_columns();
    const std::size_t at_once = which == matrix::a ? group_a_ : q_;
    std::vector<run_of_tiles> runs;
    for (std::size_t first = 0; first < columns; first += at_once)
        for (const auto& [at, count] : grouped(which, first, std::min(at_once, columns - first)))
            runs.push_back({first + at, count});
    return runs;
}

std::vector<run_of_tiles> schedule::groups_of_c(const gemm::step& at) const {
    return grouped(matrix::c, at.column, at.columns);
}

std::size_t schedule::most_together(matrix which) const {
    if (which == matrix::a) return group_a_;
    return std::min(q_, which == matrix::b ? together_.b : together_.c);
}

std::vector<load> schedule::loads(const gemm::step& at) const {
    std::vector<load> list;
    const std::vector<run_of_tiles> in_b = grouped(matrix::b, at.column, at.columns);
    const std::vector<run_of_tiles> in_c = groups_of_c(at);
    const auto begun_at = [](const std::vector<run_of_tiles>& groups, std::size_t c) {
        for (const run_of_tiles& each : groups)
            if (each.first == c) return each.count;
        return std::size_t{0};
    };
    const auto add_a = [&] {
        for (std::size_t r = 0; r < at.rows && at.loads_a > 0; ++r)
            for (const auto& [first, count] : grouped(matrix::a, at.l, at.loads_a))
                list.push_back({matrix::a, at.row + r, at.l + first, count,
                                slot_of_a(at, r) + first * p_, p_});
    };
    if (sets_a_ > 1) add_a();
    for (std::size_t c = 0; c < at.columns; ++c) {
        if (const std::size_t count = at.loads_b ? begun_at(in_b, c) : 0)
            list.push_back({matrix::b, at.l, at.column + c, count, slot_of_b(at, c), 1});
        if (const std::size_t count = at.first && reads_c_ ? begun_at(in_c, c) : 0)
            for (std::size_t r = 0; r < at.rows; ++r)
                list.push_back({matrix::c, at.row + r, at.column + c, count, slot_of_c(r, c), p_});
    }
    if (sets_a_ == 1) add_a();  // they wait for the step before, which B's need not
    return list;
}

double lower_bound_bytes(shape size, std::size_t element_bytes, std::size_t fast_bytes) {
    const auto elements = static_cast<double>(fast_bytes / element_bytes);
    return size.flops() / std::sqrt(elements) * static_cast<double>(element_bytes);
}

}  // namespace watari::gemm
