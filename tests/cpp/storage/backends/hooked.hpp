/// A backend whose commands a test sees, and ends as it likes.
#pragma once

#include "watari/storage/backends/backend.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace watari::storage {

/// Calls the hook for each command: a status ends the command, none lets the inner backend serve
/// it.
class hooked final : public backend {
public:
    using hook = std::function<std::optional<status>(const request&)>;

    hooked(std::shared_ptr<backend> inner, hook before)
        : inner_(std::move(inner)), before_(std::move(before)) {}
    std::uint64_t bytes() const override { return inner_->bytes(); }
    std::unique_ptr<io_channel> open_channel(const user_memory& memory) override {
        return std::make_unique<channel>(inner_->open_channel(memory), before_);
    }

private:
    class channel final : public io_channel {
    public:
        channel(std::unique_ptr<io_channel> inner, const hook& before)
            : inner_(std::move(inner)), before_(before) {}
        bool submit(const request& command) override {
            const std::optional<status> outcome = before_(command);
            if (!outcome) return inner_->submit(command);
            ended_.push_back({command.queue, command.cid, *outcome});
            return true;
        }
        void reap(std::vector<ending>& ended) override {
            inner_->reap(ended);
            ended.insert(ended.end(), ended_.begin(), ended_.end());
            ended_.clear();
        }
        std::size_t under_way() const override { return inner_->under_way() + ended_.size(); }

    private:
        std::unique_ptr<io_channel> inner_;
        const hook& before_;
        std::vector<ending> ended_;
    };

    std::shared_ptr<backend> inner_;
    hook before_;
};

}  // namespace watari::storage
