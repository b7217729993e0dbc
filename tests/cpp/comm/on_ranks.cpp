// The halo on ranks, over one path: on_ranks PATH cpu|gpu, started by mpirun.
//
// Each rank fills its inner points with the number of their place in the whole grid, and everything
// else with -1. After an exchange each point of the halo has the number of its place, edges and
// corners included, and across the ends of periodic axes. The boundary is unchanged. Exit code 77:
// this machine lacks the path.
#include "watari/comm/ordered_sum.hpp"

#include "numbered_arrays.hpp"

#include <complex>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

using namespace watari;
using comm::by_axis;
using comm::extents;
using comm::for_each_point;
using comm::numbered_arrays;
using comm::place;
using comm::untouched;
using comm::word_of;

namespace {

constexpr int skipped = 77;

void exchange(const place& where, const comm::grid& whole,
              const std::vector<std::size_t>& elements) {
    const comm::communicator& ranks = comm::world();
    const comm::decomposition box = comm::divide(whole, ranks.rank());
    numbered_arrays a(where, box.size.product(), elements);
    comm::halo halo(where.path, {.ranks = &ranks,
                                 .part = box,
                                 .who = where.who,
                                 .field = where.kind,
                                 .point_bytes = a.point_bytes()});
    for (int turn = 0; turn < 3; ++turn) {  // buffers are reused
        fill(whole, box, a);
        halo.exchange(a.fields, nullptr);
        if (where.who.is_gpu()) device::synchronize(nullptr);
        expect(whole, box, a);
    }
}

/// Every way to divide a number of ranks among some axes.
std::vector<extents> splits(int ranks, std::size_t axes) {
    std::vector<extents> all;
    extents split = extents::filled(axes, 1);
    const std::function<void(std::size_t, std::size_t)> choose = [&](std::size_t axis,
                                                                     std::size_t left) {
        if (axis + 1 == axes) {
            split[axis] = left;
            all.push_back(split);
            return;
        }
        for (std::size_t parts = 1; parts <= left; ++parts)
            if (left % parts == 0) split[axis] = parts, choose(axis + 1, left / parts);
    };
    choose(0, static_cast<std::size_t>(ranks));
    return all;
}

void exchange_all(const place& where, int ranks) {
    for (const extents& split : splits(ranks, 3)) {
        exchange(where, {.points = {10, 11, 12}, .split = split}, {4});
        exchange(
            where,
            {.points = {20, 20, 22}, .split = split, .periodic = {true, false, true}, .depth = 2},
            {4, 4, 8, 12});
    }
    const by_axis around{true, true, true, true};
    constexpr std::size_t spinor = 12 * sizeof(std::complex<double>);
    for (const extents& split : splits(ranks, 4))  // a periodic field of complex numbers
        exchange(where, {.points = {8, 8, 8, 8}, .split = split, .periodic = around},
                 {sizeof(std::complex<double>)});
    exchange(where,
             {.points = {16, 4, 4, 6},
              .split = {static_cast<std::size_t>(ranks), 1, 1, 1},
              .periodic = around},
             {spinor});
}

/// Boxes as thin as their halo, boxes of one point, several axes along which a rank is its own
/// neighbour, elements and messages of 0 bytes.
void exchange_odd_shapes(const place& where, int count) {
    const auto ranks = static_cast<std::size_t>(count);
    const by_axis around{true, true, true, true};
    for (std::size_t axis = 0; axis < comm::most_axes; ++axis) {
        extents split = extents::filled(comm::most_axes, 1);
        split[axis] = ranks;
        exchange(where, {.points = split, .split = split, .periodic = around}, {4, 12});
        extents thick = extents::filled(comm::most_axes, 2);
        thick[axis] = 2 * ranks;
        exchange(where, {.points = thick, .split = split, .periodic = around, .depth = 2}, {8});
    }
    exchange(
        where,
        {.points = {2, 3 * ranks + 6}, .split = {1, ranks}, .periodic = {true, false}, .depth = 2},
        {4});
    exchange(where, {.points = {ranks}, .split = {ranks}, .periodic = {true}}, {4});
    exchange(where, {.points = {ranks + 2}, .split = {ranks}}, {16});
    exchange(where, {.points = {3, 2 * ranks}, .split = {1, ranks}, .periodic = around, .depth = 0},
             {4});
    const comm::decomposition box = comm::divide(
        {.points = {3, ranks}, .split = {1, ranks}, .periodic = around}, comm::world().rank());
    comm::halo halo(where.path, {.ranks = &comm::world(),
                                 .part = box,
                                 .who = where.who,
                                 .field = where.kind,
                                 .point_bytes = 0});
    halo.exchange(std::span<const comm::field>(), nullptr);
    int nothing = 0;
    const comm::field empty{&nothing, 0};
    halo.exchange(std::span(&empty, 1), nullptr);
}

/// Each level of a multigrid has a halo of its own.
void exchange_levels(const place& where, int ranks) {
    comm::grid level{.points = {64, 34, 32},
                     .split = {1, 1, static_cast<std::size_t>(ranks)},
                     .periodic = {true, false, true},
                     .blocks = {4, 4, 4}};
    for (int halvings = 0; halvings < 3; ++halvings) {
        exchange(where, level, {4});
        if (halvings < 2) level = comm::coarser(level, {true, true, true});
    }
}

/// One parity of a field, as packed by a case that sends half of a plane.
class even_points final : public comm::message {
public:
    explicit even_points(std::vector<std::uint32_t>& data) : data_(&data) {}

    std::size_t bytes(const comm::faces& f) const override {
        return (f.points() + 1) / 2 * sizeof(std::uint32_t);
    }
    void pack(const comm::faces& f, buffers to, stream_t) const override {
        walk(f, [&](int side, std::size_t nth, std::size_t offset) {
            std::memcpy(to[side] + nth * 4, data_->data() + f.inner[side] + offset, 4);
        });
    }
    void unpack(const comm::faces& f, const_buffers from, stream_t) const override {
        walk(f, [&](int side, std::size_t nth, std::size_t offset) {
            std::memcpy(data_->data() + f.outer[side] + offset, from[side] + nth * 4, 4);
        });
    }

private:
    /// Calls work(side, number, offset) for every second point of both ends.
    void walk(const comm::faces& f,
              const std::function<void(int, std::size_t, std::size_t)>& work) const {
        for (const int side : {0, 1})
            for (std::size_t n = 0; n < f.points() && f.ranks[side] != comm::nobody; n += 2) {
                std::size_t left = n, offset = 0;
                for (std::size_t l = f.loops.size(); l-- > 0; left /= f.loops[l].count)
                    offset += left % f.loops[l].count * f.loops[l].stride;
                work(side, n / 2, offset);
            }
    }

    std::vector<std::uint32_t>* data_;
};

void exchange_half(int count) {
    const comm::communicator& ranks = comm::world();
    const comm::grid whole{.points = {static_cast<std::size_t>(4 * count), 6},
                           .split = {static_cast<std::size_t>(count), 1},
                           .periodic = {true, true}};
    const comm::decomposition box = comm::divide(whole, ranks.rank());
    comm::halo halo(
        comm::path::staged,
        {.ranks = &ranks, .part = box, .who = the_cpu, .field = memory::kind::pageable});
    std::vector<std::uint32_t> data(box.size.product(), untouched);
    for_each_point(whole, box, [&](std::size_t n, std::size_t point, bool inside, bool) {
        if (inside) data[n] = word_of(point, 0, 0);
    });
    halo.exchange(even_points(data), nullptr);
    std::size_t filled = 0;
    for_each_point(whole, box, [&](std::size_t n, std::size_t point, bool, bool) {
        if (data[n] != untouched && data[n] != word_of(point, 0, 0))
            comm::fail("a point of half a plane is another one's");
        filled += data[n] != untouched;
    });
    const std::size_t inside = box.inner[0].count * box.inner[1].count;
    if (filled <= inside || filled >= box.size.product())
        comm::fail("half a plane is all or nothing");
}

/// Expects the bits of one rank's sum.
void sum_in_order(int count) {
    const comm::communicator& ranks = comm::world();
    constexpr std::size_t partial = 5000;
    const auto value = [](std::size_t place, std::size_t v) {
        return 1.0 / static_cast<double>(3 + place) * (v == 0 ? 1 : -1e-7);
    };
    std::vector<std::size_t> places;
    std::vector<double> own;
    // pieces of 7, dealt to the ranks in turn
    for (std::size_t p = 0; p < partial; ++p)
        if (p / 7 % static_cast<std::size_t>(count) == static_cast<std::size_t>(ranks.rank())) {
            places.push_back(p);
            for (const std::size_t v : {0, 1}) own.push_back(value(p, v));
        }
    comm::ordered_sum sum(ranks, places, partial, 2);
    double totals[2];
    sum(own, totals);
    double expected[2];
    for (const std::size_t v : {0, 1}) {
        std::vector<double> all(partial);
        for (std::size_t p = 0; p < partial; ++p) all[p] = value(p, v);
        std::vector<double> lanes(256),
            chunks;  // core/parallel/sums.hpp: 256 lanes in chunks of 2048
        const auto fold = [](std::vector<double> lane) {
            for (std::size_t half = lane.size() / 2; half > 0; half /= 2)
                for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
            return lane[0];
        };
        const auto in_lanes = [&](const double* first, std::size_t n) {
            std::vector<double> lane(256);
            for (std::size_t i = 0; i < n; ++i) lane[i % 256] += first[i];
            return fold(lane);
        };
        for (std::size_t first = 0; first < partial; first += 2048)
            chunks.push_back(
                in_lanes(all.data() + first, std::min<std::size_t>(2048, partial - first)));
        expected[v] = in_lanes(chunks.data(), chunks.size());
    }
    if (std::memcmp(totals, expected, sizeof totals) != 0)
        comm::fail("a sum in order has other bits");
    bool refused = false;
    try {
        comm::ordered_sum twice(ranks, std::vector<std::size_t>{0, 0}, 2);
    } catch (const usage_error&) {
        refused = true;
    }
    if (!refused) comm::fail("a place that two partial sums have was taken");
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) return std::fprintf(stderr, "on_ranks PATH cpu|gpu\n"), 2;
    try {
        const comm::communicator& ranks = comm::world();
        place where{comm::path_named(words[1]), the_cpu, memory::kind::pageable};
        if (std::string(words[2]) == "gpu") {
            if (device::count() < ranks.local_size()) return skipped;
            where.who = gpu_number(ranks.local_rank());
            where.kind = memory::kind::device;
            device::use(where.who.number);
        }
        exchange_all(where, ranks.size());
        exchange_levels(where, ranks.size());
        exchange_odd_shapes(where, ranks.size());
        if (!where.who.is_gpu()) exchange_half(ranks.size()), sum_in_order(ranks.size());
        comm::finish();
        return 0;
    } catch (const unsupported& reason) {
        std::fprintf(stderr, "skipped: %s\n", reason.what());
        return skipped;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}
