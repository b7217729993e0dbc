#include "watari/storage/backends/modelled.hpp"

#include "watari/core/error.hpp"
#include "watari/core/parallel/atomic.hpp"
#include "watari/storage/backends/ram.hpp"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <string>

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

struct timed_ending {
    std::int64_t due;
    ending completed;
    bool operator>(const timed_ending& other) const { return due > other.due; }
};

/// Lets memory serve each command at once, and holds its ending back until it is due.
class modelled_channel final : public io_channel {
public:
    modelled_channel(std::unique_ptr<io_channel> memory, const ssd_model& model,
                     std::int64_t& medium_free)
        : memory_(std::move(memory)), model_(model), medium_free_(medium_free) {}

    bool submit(const request& command) override {
        memory_->submit(command);
        now_.clear();
        memory_->reap(now_);
        held_.push({due(command), now_.front()});
        return true;
    }

    void reap(std::vector<ending>& ended) override {
        for (const std::int64_t now = cpu::nanoseconds(); !held_.empty() && held_.top().due <= now;
             held_.pop())
            ended.push_back(held_.top().completed);
    }

    std::size_t under_way() const override { return held_.size(); }

private:
    std::int64_t due(const request& command) const {
        const direction_model& rates =
            command.operation == opcode::read ? model_.read : model_.write;
        const double seconds =
            command.bytes == 0
                ? 0
                : std::max(static_cast<double>(command.bytes) / rates.bandwidth, 1 / rates.iops);
        const auto busy = static_cast<std::int64_t>(seconds * 1e9);
        const std::int64_t now = cpu::nanoseconds();
        std::int64_t free, done;
        do {
            free = cpu::everywhere::load_relaxed(medium_free_);
            done = std::max(free, now) + busy;
        } while (!cpu::everywhere::replace(medium_free_, free, done));
        return done + static_cast<std::int64_t>(rates.latency * 1e9);
    }

    std::unique_ptr<io_channel> memory_;
    const ssd_model& model_;
    std::int64_t& medium_free_;  ///< when the medium has served all commands so far
    std::vector<ending> now_;
    std::priority_queue<timed_ending, std::vector<timed_ending>, std::greater<>> held_;
};

class modelled final : public backend {
public:
    modelled(std::shared_ptr<backend> memory, const ssd_model& model)
        : memory_(std::move(memory)), model_(model) {}
    std::uint64_t bytes() const override { return memory_->bytes(); }
    std::unique_ptr<io_channel> open_channel(const user_memory& users) override {
        return std::make_unique<modelled_channel>(memory_->open_channel(users), model_,
                                                  medium_free_);
    }
    std::string notice() const override { return "modelled: " + std::string(model_.source); }

private:
    std::shared_ptr<backend> memory_;
    const ssd_model& model_;
    std::int64_t medium_free_ = 0;
};

/// Throws usage_error.
const ssd_model& model_named(std::string_view name) {
    std::string names;
    for (const ssd_model& model : models) {
        if (model.name == name) return model;
        names += (names.empty() ? "" : ", ") + std::string(model.name);
    }
    throw usage_error("no SSD model " + std::string(name) + "; there are " + names);
}

}  // namespace

std::span<const ssd_model> ssd_models() { return models; }

std::shared_ptr<backend> make_modelled(std::size_t bytes, std::string_view name) {
    const ssd_model& model = model_named(name);
    return std::make_shared<modelled>(make_ram(bytes), model);
}

std::shared_ptr<backend> make_modelled(std::shared_ptr<backend> memory, std::string_view name) {
    return std::make_shared<modelled>(std::move(memory), model_named(name));
}

}  // namespace watari::storage
