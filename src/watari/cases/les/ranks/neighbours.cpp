#include "watari/cases/les/ranks/neighbours.hpp"

#include "watari/cases/les/grid/fields.hpp"
#include "watari/measure/clock.hpp"

#include <cstring>
#include <string>

namespace watari::les {

namespace {

/// This rank's box of a level; x and y go around, by others or by itself.
comm::decomposition part_of(const level_shape& l, const extents& split, int rank) {
    return comm::divide({.points = {l.whole.z + 2, l.whole.y, l.whole.x},
                         .split = {1, split.y, split.x},
                         .periodic = {false, true, true}},
                        rank);
}

constexpr std::size_t most_fields = 4;  ///< of a message

}  // namespace

neighbours::neighbours(const comm::communicator& all, const parameters& own, memory::kind field)
    : all_(&all), who_(own.processor), whole_(own.whole), split_(own.split) {
    std::size_t most = 0;
    for (const level_shape& l : level_shapes(own)) {
        level_wholes_.push_back(l.whole);
        if (l.grid.around) {
            most = std::max(most, l.grid.size.cells() / split_.cells() * own.real_bytes());
            continue;
        }
        const std::size_t fields = level_wholes_.size() == 1 ? most_fields : 1;
        halos_.emplace_back(own.path, comm::halo_options{.ranks = &all,
                                                         .part = part_of(l, split_, all.rank()),
                                                         .who = own.processor,
                                                         .field = field,
                                                         .point_bytes = fields * own.real_bytes()});
    }
    const sums_layout s = sums_of(own);
    const auto ranks = static_cast<std::size_t>(all.size());
    most = std::max(most, (s.scratch - s.columns) * sizeof(double) / ranks);
    own_.resize(most);
    gathered_.resize(most * ranks);
    ordered_.resize(most * ranks);
}

void neighbours::exchange(std::size_t level, std::initializer_list<void*> arrays,
                          std::size_t element, stream_t stream) {
    comm::field fields[most_fields];
    std::size_t count = 0;
    for (void* array : arrays) fields[count++] = {array, element};
    halos_[level].exchange(std::span<const comm::field>(fields, count), stream);
}

void neighbours::read(void* to, const void* from, std::size_t bytes, stream_t stream) const {
    if (who_.is_gpu())
        device::read_back(to, from, bytes, stream);
    else
        std::memcpy(to, from, bytes);
}
void neighbours::write(void* to, const void* from, std::size_t bytes, stream_t stream) const {
    if (!who_.is_gpu()) {
        std::memcpy(to, from, bytes);
        return;
    }
    device::copy(to, from, bytes, stream);
    device::synchronize(stream);  // `from` is used again
}

void neighbours::gather(std::size_t level, void* array, std::size_t element, stream_t stream) {
    const double start = measure::now();
    const extents& all = level_wholes_[level];
    const grid g{all};
    const extents own{all.x / split_.x, all.y / split_.y, all.z};
    const std::size_t bytes = g.points() * element, row = own.x * element;
    ordered_.resize(std::max(ordered_.size(), bytes));
    read(ordered_.data(), array, bytes, stream);
    const auto rows = [&](std::size_t rank, std::byte* packed, bool pack) {
        const std::size_t y = rank / split_.x * own.y, x = rank % split_.x * own.x;
        for (std::size_t k = 0; k < own.z; ++k)
            for (std::size_t j = 0; j < own.y; ++j, packed += row) {
                std::byte* const at = ordered_.data() + g.at(k, y + j, x) * element;
                pack ? std::memcpy(packed, at, row) : std::memcpy(at, packed, row);
            }
    };
    const std::size_t each = own.cells() * element;
    rows(static_cast<std::size_t>(all_->rank()), own_.data(), true);
    all_->gather(std::span(own_).first(each), std::span(gathered_).first(each * split_.cells()));
    for (std::size_t rank = 0; rank < split_.cells(); ++rank)
        rows(rank, gathered_.data() + rank * each, false);
    write(array, ordered_.data(), bytes, stream);
    seconds_ += measure::now() - start;
}

void neighbours::gather_columns(double* columns, stream_t stream) {
    const double start = measure::now();
    const std::size_t pieces = whole_.x / piece_of(whole_.x), row = pieces / split_.x,
                      rows = whole_.y / split_.y, each = row * rows * sizeof(double);
    read(own_.data(), columns, each, stream);
    all_->gather(std::span(own_).first(each), std::span(gathered_).first(each * split_.cells()));
    for (std::size_t rank = 0; rank < split_.cells(); ++rank)
        for (std::size_t j = 0; j < rows; ++j)
            std::memcpy(
                ordered_.data() + ((rank / split_.x * rows + j) * pieces + rank % split_.x * row) *
                                      sizeof(double),
                gathered_.data() + rank * each + j * row * sizeof(double), row * sizeof(double));
    write(columns, ordered_.data(), each * split_.cells(), stream);
    seconds_ += measure::now() - start;
}

double neighbours::seconds() {
    double result = seconds_;
    seconds_ = 0;
    for (comm::halo& halo : halos_) result += halo.by_host() ? halo.seconds() : 0;
    return result;
}

}  // namespace watari::les
