#include "neighbours.hpp"

#include "../grid/fields.hpp"
#include "watari/measure/clock.hpp"

#include <algorithm>
#include <utility>

namespace watari::les {

namespace {

/// Returns the neighbours along y and x, which are periodic. Along an undivided axis there are
/// none: the kernels write the halo.
comm::decomposition around(const extents& split, int rank) {
    comm::decomposition ring = comm::divide({.points = {1, split.y, split.x},
                                             .split = {1, split.y, split.x},
                                             .periodic = {true, true, true}},
                                            rank);
    for (comm::faces& f : ring.axes) {
        f.loops = {};
        if (f.ranks[0] == rank) f.ranks[0] = f.ranks[1] = comm::nobody;
    }
    return ring;
}

/// Returns the faces of an array over a part: `rows` rows of the halo, and `cells` cells beyond
/// either end of each row.
comm::decomposition faces_of(const grid& g, comm::decomposition ring, std::size_t rows,
                             std::size_t cells = 1) {
    const std::size_t first = g.at(0, 0, 0) - g.plane(), planes = g.size.z + 2;
    comm::faces &y = ring.axes[1], &x = ring.axes[2];
    y.loops = {{{1, 0}, {planes, g.plane()}, {rows, g.row()}, {g.size.x + 2, 1}}};
    const std::size_t row = first - 1, last = row + g.size.y * g.row(), few = rows * g.row();
    y.inner[0] = row, y.inner[1] = last - few;
    y.outer[0] = row - few, y.outer[1] = last;
    x.loops = {{{1, 0}, {planes, g.plane()}, {g.below + g.size.y + g.above, g.row()}, {cells, 1}}};
    const std::size_t cell = first - g.below * g.row();
    x.inner[0] = cell, x.inner[1] = cell + g.size.x - cells;
    x.outer[0] = cell - cells, x.outer[1] = cell + g.size.x;
    return ring;
}

/// A message with parts of an array to both neighbours. `same`: both neighbours send the same part,
/// which is unpacked once.
class parts final : public comm::message {
public:
    parts(processor who, const comm::field& array, bool same)
        : array_(array), of_(who, std::span(&array_, 1)), same_(same) {}

    std::size_t bytes(const comm::faces& f) const override { return of_.bytes(f); }
    void pack(const comm::faces& f, buffers to, stream_t stream) const override {
        of_.pack(f, to, stream);
    }
    void unpack(const comm::faces& f, const_buffers from, stream_t stream) const override {
        comm::faces once = f;
        if (same_) once.ranks[1] = comm::nobody;
        of_.unpack(once, from, stream);
    }

private:
    comm::field array_;
    comm::fields of_;
    bool same_;
};

constexpr std::size_t most_fields = 4;  ///< of a message

}  // namespace

neighbours::neighbours(const comm::communicator& all, const parameters& own, memory::kind field)
    : all_(&all),
      who_(own.processor),
      whole_(own.whole),
      split_(own.split),
      place_{static_cast<std::size_t>(all.rank()) % split_.x,
             static_cast<std::size_t>(all.rank()) / split_.x, 0} {
    ring_ = around(split_, all.rank());
    const std::size_t across = split_.y > 1 ? split_.y : split_.x;  // largest message: 1 / across
    std::size_t most = 2 * whole_.x / piece_of(whole_.x) * whole_.y / across * sizeof(double);
    for (const level_shape& l : level_shapes(own)) {
        grids_.push_back(l.grid);
        if (l.grid.whole()) {
            most = std::max(most, l.whole.cells() / across * own.real_bytes());
            continue;
        }
        const std::size_t depth = own.advection == advection::third ? wide_halo : 1;
        const std::size_t fields = grids_.size() == 1 ? most_fields * depth : 1;
        halos_.emplace_back(
            own.path,
            comm::halo_options{.ranks = &all,
                               .part = faces_of(l.grid, ring_, 1),
                               .who = own.processor,
                               .field = field,
                               .point_bytes = std::max(fields, l.grid.below) * own.real_bytes()});
    }
    comm::decomposition any = ring_;
    for (comm::faces& f : any.axes) f.loops.back() = {most, 1};
    parts_.emplace(
        own.path,
        comm::halo_options{
            .ranks = &all, .part = any, .who = own.processor, .field = field, .point_bytes = 1});
}

template <class Work>
void neighbours::timed(const Work& work, stream_t stream) {
    if (!watched_) return work();
    const double start = measure::now();
    const auto mark = [&] {
        if (!who_.is_gpu()) return;
        if (marked_ == marks_.size()) marks_.emplace_back();
        marks_[marked_++].record(stream);
    };
    mark();
    work();
    mark();
    if (!who_.is_gpu()) exchanged_ += measure::now() - start;
}

void neighbours::exchange(std::size_t level, std::initializer_list<void*> arrays,
                          std::size_t element, stream_t stream, std::size_t rows,
                          std::size_t cells) {
    comm::field fields[most_fields];
    std::size_t count = 0;
    for (void* array : arrays) fields[count++] = {array, element};
    const comm::fields message(who_, std::span<const comm::field>(fields, count));
    const comm::decomposition part = faces_of(grids_[level], ring_, rows, cells);
    timed(
        [&] {
            for (const unsigned axis : {2u, 1u})  // x first: rows then include their ends
                if (part.axes[axis].shared())
                    halos_[level].exchange(part.axes[axis], message, stream);
        },
        stream);
}

/// Gathers along a ring in x, then along a ring in y. In round n a rank forwards the parts that it
/// received in round n - 1, and receives the n-th part on either side.
void neighbours::gather(const layout& of, void* array, std::size_t element, stream_t stream) {
    const extents part{of.size.x / split_.x, of.size.y / split_.y, of.size.z};
    for (const unsigned axis : {0u, 1u}) {
        const std::size_t count = along(split_, axis), own = along(place_, axis);
        comm::faces f = parts_->part().axes[2 - axis];
        f.loops = {
            {{1, 0}, {part.z, of.plane}, {part.y, of.row}, {axis == 0 ? part.x : of.size.x, 1}}};
        const auto begin = [&](std::size_t number) {
            const std::size_t n = number % count;
            return axis == 0 ? of.first + place_.y * part.y * of.row + n * part.x
                             : of.first + n * part.y * of.row;
        };
        for (std::size_t n = 1; n <= count / 2; ++n) {
            f.inner[0] = begin(own + n - 1), f.inner[1] = begin(own + count - (n - 1));
            f.outer[0] = begin(own + count - n), f.outer[1] = begin(own + n);
            parts_->exchange(f, parts(who_, {array, element}, 2 * n == count), stream);
        }
    }
}

void neighbours::gather(std::size_t level, void* array, std::size_t element, stream_t stream) {
    const grid& g = grids_[level];
    timed(
        [&] {
            gather({g.size, g.row(), g.plane(), g.at(0, 0, 0)}, array, element, stream);
        },
        stream);
}

void neighbours::gather_columns(double* columns, std::size_t sets, stream_t stream) {
    const std::size_t pieces = whole_.x / piece_of(whole_.x);
    timed(
        [&] {
            gather({{pieces, whole_.y, sets}, pieces, pieces * whole_.y, 0}, columns,
                   sizeof(double), stream);
        },
        stream);
}

double neighbours::seconds() {
    double result = 0;
    const auto add = [&](comm::halo& halo) { result += halo.by_host() ? halo.seconds() : 0; };
    for (comm::halo& halo : halos_) add(halo);
    add(*parts_);
    return result;
}

double neighbours::exchanged() {
    double result = std::exchange(exchanged_, 0);
    for (std::size_t n = 0; n < marked_; n += 2)
        result += device::event::seconds(marks_[n], marks_[n + 1]);
    marked_ = 0;
    return result;
}

}  // namespace watari::les
