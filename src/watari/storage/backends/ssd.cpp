#include "watari/storage/backends/ssd.hpp"

#include "watari/core/error.hpp"
#include "watari/core/parallel/atomic.hpp"
#include "watari/storage/backends/ssd_measured.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace watari::storage {

namespace {

constexpr ssd_model models[] = {
    {.name = "kioxia-cm6-v",
     .source = "KIOXIA CM6-V, PCIe 4.0: the SSD of Hanawa (2025)",
     .read = {.latency = 80e-6, .bandwidth = 6.9e9, .iops = 1.4e6},
     .write = {.latency = 15e-6, .bandwidth = 4.2e9, .iops = 0.35e6}},
    {.name = "samsung-pm1743",
     .source = "Samsung PM1743, PCIe 5.0",
     .read = {.latency = 80e-6, .bandwidth = 13e9, .iops = 2.5e6},
     .write = {.latency = 15e-6, .bandwidth = 6.6e9, .iops = 0.25e6}},
    {.name = "ten-million",
     .source = "no product: an SSD of 10 M IOPS on PCIe 6.0",
     .read = {.latency = 20e-6, .bandwidth = 28e9, .iops = 10e6},
     .write = {.latency = 10e-6, .bandwidth = 14e9, .iops = 2e6}},
};

class sheet_ssd final : public ssd {
public:
    explicit sheet_ssd(const ssd_model& model) : model_(model) {}

    std::int64_t due(opcode operation, std::size_t bytes, std::int64_t now) override {
        const direction_model& rates = operation == opcode::read ? model_.read : model_.write;
        const double seconds =
            bytes == 0 ? 0 : std::max(static_cast<double>(bytes) / rates.bandwidth, 1 / rates.iops);
        const auto busy = static_cast<std::int64_t>(seconds * 1e9);
        std::int64_t free, done;
        do {
            free = cpu::everywhere::load_relaxed(medium_free_);
            done = std::max(free, now) + busy;
        } while (!cpu::everywhere::replace(medium_free_, free, done));
        return done + static_cast<std::int64_t>(rates.latency * 1e9);
    }

    std::string source() const override {
        return std::string(model_.source) + "; from a data sheet, its error is not known";
    }

private:
    const ssd_model& model_;
    std::int64_t medium_free_ = 0;  ///< when the medium has served all commands so far
};

}  // namespace

std::span<const ssd_model> ssd_models() { return models; }

std::unique_ptr<ssd> make_ssd(const ssd_description& wanted) {
    if (!wanted.rows.empty()) return make_measured_ssd(wanted);
    std::string names;
    for (const ssd_model& model : models) {
        if (model.name == wanted.name) return std::make_unique<sheet_ssd>(model);
        names += (names.empty() ? "" : ", ") + std::string(model.name);
    }
    throw usage_error("no SSD model " + wanted.name + "; there are " + names);
}

simulated closed_loop(ssd& disk, opcode operation, std::size_t block, std::size_t depth,
                      std::size_t requests) {
    if (depth == 0 || requests <= depth)
        throw usage_error("closed loop: more requests than are in flight");
    requests = (requests + depth - 1) / depth * depth;  // no part of a round counts
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> in_flight;
    std::vector<double> seconds;
    double sum = 0;
    std::int64_t begin = 0, now = 0;
    for (std::size_t i = 0; i < depth; ++i) in_flight.push(disk.due(operation, block, 0));
    for (std::size_t i = 0; i < requests; ++i) {
        now = in_flight.top();
        in_flight.pop();
        disk.ended(operation, block);
        if (i + 1 == depth) begin = now;
        const std::int64_t due = disk.due(operation, block, now);
        in_flight.push(due);
        if (i < depth) continue;
        seconds.push_back(static_cast<double>(due - now) * 1e-9);
        sum += seconds.back();
    }
    std::sort(seconds.begin(), seconds.end());
    const auto count = static_cast<double>(seconds.size());
    const auto part = [&](double share) {
        return seconds[static_cast<std::size_t>(share * (count - 1))];
    };
    return {sum / count, count / (static_cast<double>(now - begin) * 1e-9), part(.5), part(.99)};
}

}  // namespace watari::storage
