#include "watari/gemm/schedule/schedule.hpp"

#include "watari/core/error.hpp"
#include "watari/gemm/schedule/block_choice.hpp"

#include <cmath>
#include <string>

namespace watari::gemm {

schedule::schedule(const schedule_request& wanted)
    : a_(tiling_of(matrix::a, wanted.size, wanted.tile)),
      b_(tiling_of(matrix::b, wanted.size, wanted.tile)),
      c_(tiling_of(matrix::c, wanted.size, wanted.tile)),
      multiplies_(!wanted.alpha_is_zero && wanted.size.k > 0),
      reads_c_(!wanted.beta_is_zero),
      tiles_per_request_(wanted.tiles_per_request),
      store_bound_(wanted.store_bound),
      narrow_a_(wanted.narrow_a),
      narrow_b_(wanted.narrow_b) {
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
    if (mt > 0 && nt > 0 && wanted.which == schedule_kind::reuse) {
        if (multiplies_) {
            const block_choice chosen = choose_blocks(wanted, slots);
            form_ = chosen.form, p_ = chosen.p, q_ = chosen.q, slots_ = chosen.slots;
            group_a_ = chosen.group_a, sets_a_ = chosen.sets_a;
        } else {  // blocks of many tiles, so that reading and writing overlap
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
    const std::size_t least = which == matrix::c ? least_of_c(store_bound_) : 1;
    return groups_of(tiles_of(which), {first, count}, wanted_of(which), least, joins_narrow(which));
}

std::size_t schedule::wanted_of(matrix which) const {
    return which == matrix::a   ? group_a_
           : which == matrix::b ? tiles_per_request_.b
                                : tiles_per_request_.c;
}

std::vector<run_of_tiles> schedule::runs_of(matrix which) const {
    const std::size_t least = which == matrix::c ? least_of_c(store_bound_) : 1;
    return gemm::runs_of(tiles_of(which), which == matrix::a ? group_a_ : q_, wanted_of(which),
                         least, joins_narrow(which));
}

std::vector<run_of_tiles> schedule::groups_of_c(const gemm::step& at) const {
    return grouped(matrix::c, at.column, at.columns);
}

std::size_t schedule::most_tiles_per_request(matrix which) const {
    if (which == matrix::a) return group_a_;
    return std::min(q_, which == matrix::b ? tiles_per_request_.b : tiles_per_request_.c);
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
    if (sets_a_ == 1) add_a();  // loads of A wait for the step before, loads of B do not
    return list;
}

double lower_bound_bytes(shape size, std::size_t element_bytes, std::size_t fast_bytes) {
    const auto elements = static_cast<double>(fast_bytes / element_bytes);
    return size.flops() / std::sqrt(elements) * static_cast<double>(element_bytes);
}

}  // namespace watari::gemm
