#include "watari/hmatrix/ranks/row_gather.hpp"

#include "watari/core/error.hpp"
#include "watari/memory/move.hpp"

#include <algorithm>
#include <string>

namespace watari::hmatrix {

namespace {

std::vector<row_range> parts_of(const comm::communicator& ranks, row_range own, std::size_t rows) {
    std::vector<row_range> all = ranks.gather(own);
    std::size_t next = 0;
    for (const row_range& part : all) {
        if (part.first != next)
            throw usage_error("the rows of the ranks do not follow each other at row " +
                              std::to_string(next));
        next = part.end();
    }
    if (next != rows)
        throw usage_error("the ranks have " + std::to_string(next) + " rows of " +
                          std::to_string(rows));
    return all;
}

std::size_t most_of(std::span<const row_range> parts) {
    std::size_t most = 0;
    for (const row_range& part : parts) most = std::max<std::size_t>(most, part.count);
    return most;
}

}  // namespace

row_gather::row_gather(const comm::communicator& ranks, row_range own, std::size_t rows,
                       std::size_t systems, processor who)
    : ranks_(&ranks),
      who_(who),
      parts_(parts_of(ranks, own, rows)),
      rows_(rows),
      most_(most_of(parts_)),
      own_(memory::host_kind(who), most_ * systems, {.device = who.number}),
      all_(memory::host_kind(who), most_ * systems * parts_.size(), {.device = who.number}) {
    std::fill_n(own_.data(), own_.size(), 0.0);  // a rank with fewer rows sends the rest too
}

std::size_t row_gather::bytes_of(const comm::communicator& ranks, std::size_t own_rows,
                                 std::size_t systems, processor who) {
    const std::vector<std::size_t> rows = ranks.gather(own_rows);
    const std::size_t most = *std::ranges::max_element(rows);
    return who.is_gpu() ? 0 : 8 * systems * most * (rows.size() + 1);
}

/// Copies `rows` values of each system; systems are `to_next` and `from_next` values apart.
void row_gather::copy(double* to, std::size_t to_next, const double* from, std::size_t from_next,
                      std::size_t rows, std::size_t systems, stream_t stream) const {
    memory::copy_rows(who_, to, 8 * to_next, from, 8 * from_next, 8 * rows, systems, stream);
}

void row_gather::operator()(double* y, std::size_t systems, stream_t stream) {
    const auto me = static_cast<std::size_t>(ranks_->rank());
    copy(own_.data(), most_, y + parts_[me].first, rows_, parts_[me].count, systems, stream);
    memory::wait(who_, stream);
    const std::size_t each = most_ * systems;
    ranks_->gather(std::as_bytes(std::span(own_.data(), each)),
                   std::as_writable_bytes(std::span(all_.data(), each * parts_.size())));
    for (std::size_t rank = 0; rank < parts_.size(); ++rank)
        if (rank != me)
            copy(y + parts_[rank].first, rows_, all_.data() + rank * each, most_,
                 parts_[rank].count, systems, stream);
    memory::wait(who_, stream);  // the next call reuses the buffers
}

}  // namespace watari::hmatrix
