/// Columns of tiles of C whose products are done (on a GPU enqueued), in the order in which they
/// are to be written, a tile row at a time.
///
/// A block of C comes in groups of columns, so that one is written while the next one is
/// multiplied. Groups that have waited for the same turn are written in the same requests: a disk
/// takes about 40,000 requests a second, whether of 48 KiB or of 96 KiB.
#pragma once

#include "watari/gemm/schedule/shape.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>

namespace watari::gemm {

/// Neighbouring columns of a block, equally wide.
struct finished_columns {
    std::size_t row, rows, column, columns;  ///< tiles of C
    std::size_t number;                      ///< position of the first column in its block
    std::size_t taken = 0;                   ///< rows that a thread writes or has written

    std::size_t last() const { return number + columns - 1; }
};

class write_queue {
public:
    /// A queue of tiles of C; a request has at most `tiles_per_request` of them.
    write_queue(const tiling& tiles, std::size_t tiles_per_request)
        : tiles_(tiles), tiles_per_request_(tiles_per_request) {}

    void push(const finished_columns& next) { waiting_.push_back(next); }
    void clear() { waiting_.clear(); }
    bool empty() const { return waiting_.empty(); }
    const finished_columns& front() const { return waiting_.front(); }

    /// Takes row `taken` of the first columns, and of the columns on their right that fit the same
    /// request. `are_there` is called for each; none if it is false for the first.
    template <class Condition>
    std::optional<finished_columns> take(const Condition& are_there) {
        if (waiting_.empty()) return std::nullopt;
        finished_columns all = waiting_.front();
        all.columns = 0;
        for (finished_columns& each : waiting_) {
            if (!goes_with(each, all) || !are_there(each)) break;
            all.columns += each.columns;
            ++each.taken;
        }
        std::erase_if(waiting_, [](const finished_columns& c) { return c.taken == c.rows; });
        return all.columns > 0 ? std::optional(all) : std::nullopt;
    }

private:
    bool goes_with(const finished_columns& each, const finished_columns& left) const {
        return each.row == left.row && each.column == left.column + left.columns &&
               each.number == left.number + left.columns && each.taken == left.taken &&
               tiles_.columns_of(each.column) == tiles_.columns_of(left.column) &&
               (left.columns == 0 || left.columns + each.columns <= tiles_per_request_);
    }

    tiling tiles_;
    std::size_t tiles_per_request_;
    std::deque<finished_columns> waiting_;
};

}  // namespace watari::gemm
