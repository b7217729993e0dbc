/// The order of tile products under a budget of fast memory, and the loads that it needs.
///
/// A block of p x q tiles of C (less at the edges) stays in fast memory while the index l of the
/// product runs over the kt tile columns of A. A *step* is (block, l): it needs the block's p tiles
/// (r, l) of A and its q tiles (l, c) of B, and makes p q products. There are three forms. The
/// schedule takes the form that reads least. Ties are broken in this order: blocks of several
/// columns (one is written while the others are multiplied), fewest loads, two sets of slots for A,
/// more products per loaded tile, least memory:
///
///     blocks   A and B stream past:                p q + 2 (p g + q) slots, A read ceil(nt/q)
///                                                  times, B read ceil(mt/p) times; naive is
///                                                  p = q = 1
///     panel_a  the block's rows of A stay while    p q + p max(kt, 2) + 2 q slots, A read once,
///              the blocks walk along a row         B read ceil(mt/p) times
///     panel_b  the block's columns of B stay       p q + q max(kt, 2) + 2 p g slots, A read
///              while they walk down a column       ceil(nt/q) times, B read once
///
/// A load brings one tile, or up to `tiles_per_request` neighbours of a tile row. A load of B
/// covers some of a step's columns, a load of C some of a block's columns, and a load of A the
/// tiles of g consecutive steps, with the first of these steps. Slots of neighbours are equally far
/// apart. A tile that is narrower than the others has its own load, except in objects. Tiles of C
/// are written in the same groups. A block has two or more groups, so that one is written while
/// another is multiplied. Groups that have to wait share requests (write_queue.hpp).
///
/// If the store is slower than the products (`store_bound`), long requests are worth a wait. A
/// block of C may then be one group. In the form blocks A may have p g slots instead of 2 p g, if
/// its loads become longer; they wait for the products before them, while loads of B continue.
///
/// In every form C is read once (beta != 0) and written once, and each tile of C takes its products
/// in ascending l: neither budget nor schedule changes the order of a sum.
///
/// **The rule by which slots are reused**: a load or a first product (beta == 0) into a slot of C
/// begins when the earlier tile of that slot has been written. A load of A or B for step s begins
/// when the products of `needs_done` steps are done; one of these was the last to read the slot.
/// These are the steps up to
///
///     B streams, two sets of q slots take turns       step s - 2
///     A streams, two sets of p g slots take turns     the last of the group before the last one
///     A streams through one set                       step s - 1
///     A or B stays, the tile of step s + i            step s + i - kt, in the panel before (with
///                                                     kt = 1 there are two sets: step s - 2)
///
/// A panel of A is therefore loaded in two groups or more: one while another is multiplied.
///
/// Everything follows from the number of a step: nothing is stored that grows with the matrices.
#pragma once

#include "watari/gemm/schedule/shape.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace watari::gemm {

enum class schedule_kind { reuse, naive };

/// Neighbouring tiles of a tile row that a load should bring, at most, by matrix.
struct tiles_per_request {
    std::size_t a = 1, b = 1, c = 1;
};

struct schedule_request {
    shape size{};
    std::size_t tile = 0;        ///< elements
    bool alpha_is_zero = false;  ///< then A and B are not read
    bool beta_is_zero = false;   ///< then C is not read
    std::size_t fast_bytes = 0;  ///< the budget
    std::size_t slot_bytes = 0;  ///< bytes of one tile in fast memory
    schedule_kind which = schedule_kind::reuse;
    gemm::tiles_per_request tiles_per_request{};
    bool store_bound = false;  ///< the store is slower than the products
    /// Whether a load of A or B may end with a tile that is narrower than the others.
    bool narrow_a = false, narrow_b = false;
    /// Cost of reading A or B once by these runs of tiles, in any unit, if requests count beside
    /// bytes; both or none. The schedule then has the least cost in place of the fewest bytes.
    using cost = std::function<double(const std::vector<run_of_tiles>&)>;
    cost cost_a{}, cost_b{};
};

enum class form { blocks, panel_a, panel_b };

struct step {
    std::size_t number;
    std::size_t block;          ///< its number, in the order in which blocks are computed
    std::size_t row, column;    ///< first tile of the block in C
    std::size_t rows, columns;  ///< tiles of the block
    std::size_t l;              ///< tile column of A and tile row of B
    bool first;                 ///< first step of its block: products take beta, C is loaded
    bool last;            ///< last step of its block: each tile of C is written after its product
    std::size_t loads_a;  ///< tile columns of A to load; 0: an earlier load has column l
    bool loads_b;         ///< false: an earlier block left the tiles in fast memory
};

/// Neighbouring tiles to load into slots, each `apart` slots behind the previous one.
struct load {
    matrix which;
    std::size_t row, column;  ///< position of the first tile in its matrix
    std::size_t columns;      ///< tiles
    std::size_t slot;         ///< of the first tile
    std::size_t apart;

    /// The load of `count` of its tiles, from tile `first` on.
    load only(std::size_t first, std::size_t count) const {
        return {which, row, column + first, count, slot + first * apart, apart};
    }
};

class schedule {
public:
    /// Throws usage_error, which names the least budget, if fewer than the naive 1 + 2 x 2 slots
    /// fit (1 if nothing is multiplied).
    explicit schedule(const schedule_request& wanted);

    /// False if alpha or k is 0: then a block has one step, which only scales C.
    bool multiplies() const noexcept { return multiplies_; }
    gemm::form form() const noexcept { return form_; }
    std::size_t block_rows() const noexcept { return p_; }     ///< tiles: p
    std::size_t block_columns() const noexcept { return q_; }  ///< tiles: q
    std::size_t slots() const noexcept { return slots_; }      ///< slots in use
    std::size_t blocks() const noexcept { return block_rows_count_ * block_columns_count_; }
    std::size_t steps() const noexcept { return blocks() * depth_; }
    std::size_t steps_of_block() const noexcept { return depth_; }

    /// Step s of steps().
    gemm::step step(std::size_t s) const;

    /// Returns the tile columns of a matrix as runs: one per load, which for C is also one per
    /// write. All tile rows of the matrix move in the same runs.
    std::vector<run_of_tiles> runs_of(matrix which) const;
    /// Returns the columns of a block, counted from its first one, in the groups in which its tiles
    /// of C are written.
    std::vector<run_of_tiles> groups_of_c(const gemm::step& at) const;

    /// Whether a load may end with a tile that is narrower than the others.
    bool joins_narrow(matrix which) const noexcept {
        return which == matrix::a ? narrow_a_ : which == matrix::b && narrow_b_;
    }

    /// Number of tiles of a load, at most.
    std::size_t most_tiles_per_request(matrix which) const;

    /// Returns the loads of a step in the order in which products need them: all of A, then, column
    /// by column of the block, each group of B and (first step, beta != 0) of C. A is last if it
    /// waits for the step before.
    std::vector<load> loads(const gemm::step& at) const;

    /// Returns the number of steps, from the first on, that must be done before loads of a step
    /// into slots of A or of B may begin.
    std::size_t needs_done(const gemm::step& at, matrix which) const;

    /// Return the slot of tile (row + r, l) of A, (l, column + c) of B, (row + r, column + c) of C.
    /// Slots are consecutive along r and c (C: along r).
    std::size_t slot_of_a(const gemm::step& at, std::size_t r) const;
    std::size_t slot_of_b(const gemm::step& at, std::size_t c) const;
    std::size_t slot_of_c(std::size_t r, std::size_t c) const { return c * p_ + r; }

    /// Number of times that A, B, C is read as a whole; C is written once. Bytes to read: this
    /// number times the bytes of the matrix in its store.
    std::size_t times_a() const noexcept;
    std::size_t times_b() const noexcept;
    std::size_t times_c() const noexcept { return reads_c_; }

    const tiling& tiles_of(matrix which) const noexcept {
        return which == matrix::a ? a_ : which == matrix::b ? b_ : c_;
    }

private:
    /// Splits tiles [first, first + count) of a tile row, which are in fast memory together, into
    /// the runs of their loads; runs count from tile `first`.
    std::vector<run_of_tiles> grouped(matrix which, std::size_t first, std::size_t count) const;
    std::size_t wanted_of(matrix which) const;  ///< tiles of a load

    tiling a_, b_, c_;
    bool multiplies_, reads_c_;
    gemm::form form_ = form::blocks;
    std::size_t p_ = 1, q_ = 1, slots_ = 1;
    std::size_t block_rows_count_ = 0, block_columns_count_ = 0;
    std::size_t depth_ = 1;  ///< steps of a block
    gemm::tiles_per_request tiles_per_request_;
    bool store_bound_, narrow_a_, narrow_b_;
    std::size_t group_a_ = 1;  ///< tile columns of A that one load brings: g
    std::size_t sets_a_ = 2;   ///< sets of slots for a group of A that streams past
};

/// Bytes that any order of the products must move between fast memory and the store: 2 m n k /
/// sqrt(fast elements) elements (Smith et al. 2019, arXiv:1702.02017, less a term of twice the fast
/// memory).
double lower_bound_bytes(shape size, std::size_t element_bytes, std::size_t fast_bytes);

}  // namespace watari::gemm
