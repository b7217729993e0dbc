#include "watari/storage/backends/ssd_measured.hpp"

#include "watari/core/error.hpp"
#include "watari/core/parallel/atomic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace watari::storage {

namespace {

/// The rows of one block size, by ascending depth. Numbers are base-2 logarithms.
struct block_rows {
    double block;
    std::vector<double> depth, latency;
    std::vector<std::array<double, shape_parts.size()>> shape;
    double busy = 0;  ///< of one request on the saturated disk, seconds
};

/// Where `x` lies between ascending values: the lower one, and the part of the way to the next.
/// Outside it is the nearest end.
std::pair<std::size_t, double> between(const std::vector<double>& values, double x) {
    const auto next = std::upper_bound(values.begin(), values.end(), x);
    if (next == values.begin()) return {0, 0};
    const auto low = static_cast<std::size_t>(next - values.begin()) - 1;
    if (next == values.end()) return {low, 0};
    return {low, (x - values[low]) / (values[low + 1] - values[low])};
}

double mixed(const std::vector<double>& values, std::pair<std::size_t, double> at) {
    const double low = values[at.first];
    return at.second == 0 ? low : low + at.second * (values[at.first + 1] - low);
}

/// The latency at a depth. Beyond the deepest row the rate stays, so that it grows with the depth.
double latency_at(const block_rows& rows, double depth) {
    return mixed(rows.latency, between(rows.depth, depth)) +
           std::max(0.0, depth - rows.depth.back());
}

/// All rows of a direction.
class direction_rows {
public:
    void add(std::span<const double> row) {
        const double block = std::log2(row[1]), depth = std::log2(row[2]);
        auto at = std::find_if(blocks_.begin(), blocks_.end(),
                               [&](const block_rows& b) { return b.block >= block; });
        if (at == blocks_.end() || at->block != block) at = blocks_.insert(at, {block, {}, {}, {}});
        if (!at->depth.empty() && at->depth.back() >= depth)
            throw usage_error("rows of an SSD: one for each depth, in ascending order");
        at->depth.push_back(depth);
        at->latency.push_back(std::log2(row[3]));
        at->busy = at->busy == 0 ? 1 / row[4] : std::min(at->busy, 1 / row[4]);
        std::copy_n(row.begin() + 5, shape_parts.size(), at->shape.emplace_back().begin());
    }

    bool empty() const { return blocks_.empty(); }
    std::size_t largest() const {
        return static_cast<std::size_t>(std::llround(std::exp2(blocks_.back().block)));
    }

    /// Seconds that a request occupies the saturated disk.
    double busy(std::size_t bytes) const {
        const auto [low, high, way] = place(bytes);
        return std::exp2(std::log2(low->busy) * (1 - way) + std::log2(high->busy) * way);
    }

    /// Seconds of a request with `depth` in flight, of which this part of the requests is faster.
    double latency(std::size_t bytes, double depth, double part) const {
        const auto [low, high, way] = place(bytes);
        const double d = std::log2(depth);
        const double mean = std::exp2(latency_at(*low, d) * (1 - way) + latency_at(*high, d) * way);
        const block_rows& near = way < .5 ? *low : *high;
        auto [row, on] = between(near.depth, d);
        const auto& shape = near.shape[on < .5 ? row : row + 1];
        const auto next = std::upper_bound(shape_parts.begin(), shape_parts.end() - 1, part);
        const auto i = static_cast<std::size_t>(next - shape_parts.begin()) - 1;
        const double step = (part - shape_parts[i]) / (shape_parts[i + 1] - shape_parts[i]);
        return mean * (shape[i] + step * (shape[i + 1] - shape[i]));
    }

private:
    struct way_between {
        const block_rows *low, *high;
        double way;
    };
    way_between place(std::size_t bytes) const {
        const double block = std::log2(static_cast<double>(bytes));
        const auto next = std::find_if(blocks_.begin(), blocks_.end(),
                                       [&](const block_rows& b) { return b.block > block; });
        if (next == blocks_.begin()) return {&*next, &*next, 0};
        if (next == blocks_.end()) return {&blocks_.back(), &blocks_.back(), 0};
        const block_rows& low = *(next - 1);
        return {&low, &*next, (block - low.block) / (next->block - low.block)};
    }

    std::vector<block_rows> blocks_;
};

class measured_ssd final : public ssd {
public:
    explicit measured_ssd(const ssd_description& wanted) : name_(wanted.name) {
        const std::span all(wanted.rows);
        if (all.size() % row_numbers != 0) throw usage_error("rows of an SSD: not whole");
        for (std::size_t at = 0; at < all.size(); at += row_numbers) {
            const std::span row = all.subspan(at, row_numbers);
            if (!std::all_of(row.begin() + 1, row.begin() + 5,
                             [](double x) { return std::isfinite(x) && x > 0; }))
                throw usage_error("rows of an SSD: bytes, depth, latency and rate are positive");
            rows_[row[0] != 0].add(row);
        }
    }

    std::int64_t due(opcode operation, std::size_t bytes, std::int64_t now) override {
        if (bytes == 0) return now;  // fio's rows have no flush
        const direction_rows& rows = of(operation);
        const std::int64_t own = occupied(rows, bytes);
        const std::int64_t load = cpu::everywhere::fetch_add(load_, own) + own;
        const double depth = static_cast<double>(load) / static_cast<double>(own);
        // parts in the order of multiples of the golden ratio: each stretch of requests has them
        // all
        const std::uint64_t number = cpu::everywhere::fetch_add(count_, std::uint64_t{1});
        const double part = static_cast<double>((number * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
        return now + static_cast<std::int64_t>(rows.latency(bytes, depth, part) * 1e9);
    }

    void ended(opcode operation, std::size_t bytes) override {
        if (bytes > 0) cpu::everywhere::fetch_add(load_, -occupied(of(operation), bytes));
    }

    std::size_t largest() const override {
        if (rows_[0].empty() || rows_[1].empty()) return rows_[rows_[0].empty()].largest();
        return std::min(rows_[0].largest(), rows_[1].largest());
    }

    std::string source() const override { return name_; }

private:
    const direction_rows& of(opcode operation) const {
        const direction_rows& rows = rows_[operation == opcode::write];
        // a product writes its result, also where only reads were measured
        return rows.empty() ? rows_[operation != opcode::write] : rows;
    }
    static std::int64_t occupied(const direction_rows& rows, std::size_t bytes) {
        return std::max<std::int64_t>(1, std::llround(rows.busy(bytes) * 1e9));
    }

    std::string name_;
    direction_rows rows_[2];  ///< of reads, of writes
    std::int64_t load_ = 0;   ///< ns that all requests in flight occupy the saturated disk
    std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<ssd> make_measured_ssd(const ssd_description& wanted) {
    return std::make_unique<measured_ssd>(wanted);
}

}  // namespace watari::storage
