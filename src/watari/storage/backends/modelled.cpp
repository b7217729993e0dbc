#include "watari/storage/backends/modelled.hpp"

#include "watari/core/parallel/atomic.hpp"
#include "watari/storage/backends/disk_array.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

namespace watari::storage {

namespace {

struct timed_ending {
    std::int64_t due;
    ending completed;
    opcode operation;
    std::uint64_t offset;
    std::size_t bytes;
    bool operator>(const timed_ending& other) const { return due > other.due; }
};

/// Lets memory serve each command at once, and holds its ending back until it is due.
class modelled_channel final : public io_channel {
public:
    modelled_channel(std::unique_ptr<io_channel> memory, disk_array& disks)
        : memory_(std::move(memory)), disks_(disks) {}

    bool submit(const request& command) override {
        memory_->submit(command);
        now_.clear();
        memory_->reap(now_);
        const std::int64_t due =
            disks_.due(command.operation, command.offset, command.bytes, cpu::nanoseconds());
        held_.push({due, now_.front(), command.operation, command.offset, command.bytes});
        return true;
    }

    void reap(std::vector<ending>& ended) override {
        for (const std::int64_t now = cpu::nanoseconds(); !held_.empty() && held_.top().due <= now;
             held_.pop()) {
            const timed_ending& first = held_.top();
            disks_.ended(first.operation, first.offset, first.bytes);
            ended.push_back(first.completed);
        }
    }

    std::size_t under_way() const override { return held_.size(); }

private:
    std::unique_ptr<io_channel> memory_;
    disk_array& disks_;
    std::vector<ending> now_;
    std::priority_queue<timed_ending, std::vector<timed_ending>, std::greater<>> held_;
};

class modelled final : public backend {
public:
    modelled(std::shared_ptr<backend> memory, const modelled_disks& wanted)
        : memory_(std::move(memory)), disks_(wanted) {}
    std::uint64_t bytes() const override { return memory_->bytes(); }
    std::unique_ptr<io_channel> open_channel(const user_memory& users) override {
        return std::make_unique<modelled_channel>(memory_->open_channel(users), disks_);
    }
    bool models_disk() const override { return true; }
    std::string notice() const override { return "modelled: " + disks_.source(); }

private:
    std::shared_ptr<backend> memory_;
    disk_array disks_;
};

}  // namespace

std::shared_ptr<backend> make_modelled(std::shared_ptr<backend> memory,
                                       const modelled_disks& wanted) {
    return std::make_shared<modelled>(std::move(memory), wanted);
}

std::shared_ptr<backend> make_modelled(std::shared_ptr<backend> memory, std::string_view name) {
    return make_modelled(std::move(memory), modelled_disks{.model = {.name = std::string(name)}});
}

}  // namespace watari::storage
