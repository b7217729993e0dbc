#include "watari/hmatrix/ranks/row_gather.hpp"

#include "watari/core/error.hpp"

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

/// Memory of the CPU that messages lie in.
memory::kind message_memory(processor who) {
    return who.is_gpu() ? memory::kind::pinned : memory::kind::pageable;
}

}  // namespace

row_gather::row_gather(const comm::communicator& ranks, row_range own, std::size_t rows,
                       std::size_t systems, processor who)
    : ranks_(&ranks),
      who_(who),
      parts_(parts_of(ranks, own, rows)),
      rows_(rows),
      most_(most_of(parts_)),
      own_(message_memory(who), most_ * systems, {.device = who.number}),
      all_(message_memory(who), most_ * systems * parts_.size(), {.device = who.number}),
      whole_(message_memory(who), who.is_gpu() ? rows * systems : 1, {.device = who.number}) {
    std::fill_n(own_.data(), own_.size(), 0.0);  // a shorter rank's rest is sent too
}

std::size_t row_gather::bytes_of(const comm::communicator& ranks, std::size_t own_rows,
                                 std::size_t systems, processor who) {
    const std::vector<std::size_t> rows = ranks.gather(own_rows);
    const std::size_t most = *std::ranges::max_element(rows);
    return who.is_gpu() ? 0 : 8 * systems * most * (rows.size() + 1);
}

void row_gather::operator()(double* y, std::size_t systems, stream_t stream) {
    const row_range own = parts_[static_cast<std::size_t>(ranks_->rank())];
    for (std::size_t s = 0; s < systems; ++s) {
        const double* const from = y + s * rows_ + own.first;
        double* const to = own_.data() + s * most_;
        if (who_.is_gpu())
            device::copy(to, from, 8 * std::size_t{own.count}, stream);
        else
            std::copy_n(from, own.count, to);
    }
    if (who_.is_gpu()) device::synchronize(stream);
    const std::size_t each = most_ * systems;
    ranks_->gather(std::as_bytes(std::span(own_.data(), each)),
                   std::as_writable_bytes(std::span(all_.data(), each * parts_.size())));
    double* const to = who_.is_gpu() ? whole_.data() : y;
    for (std::size_t rank = 0; rank < parts_.size(); ++rank)
        for (std::size_t s = 0; s < systems; ++s)
            std::copy_n(all_.data() + rank * each + s * most_, parts_[rank].count,
                        to + s * rows_ + parts_[rank].first);
    if (!who_.is_gpu()) return;
    device::copy(y, to, 8 * systems * rows_, stream);
    device::synchronize(stream);  // the buffers are used again
}

}  // namespace watari::hmatrix
